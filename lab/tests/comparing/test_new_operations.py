"""Operations that only one side of a comparison of commits serves."""

from collections.abc import Mapping
from typing import Any

import pytest

from bakeoff.comparing.new_operations import not_served, without_operations
from bakeoff.comparing.proofs import Prover
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.results.operations import MeasuredOperation
from bakeoff.results.run import RunResult
from bakeoff.running.contender import Contender
from bakeoff.running.run_request import RunRequest
from bakeoff.workload.plan import weights_of
from made_up import divided, operation, run_result
from made_up_manifests import engine, target, workload

GOOD, BAD = operation(ok=5), operation(ok=0, errors={"status": 5})
MEMBERS: dict[str, Any] = {
    "operations": [{"name": name, "weight": 2} for name in ("list", "buy", "pay")],
    "sessions": [{"name": "visit", "weight": 3, "steps": ["list", "pay"]}],
    "mixes": {"reads": {"list": 9, "pay": 1, "visit": 1}},
}
SHOP = workload(**MEMBERS)
SIDES = ("0123456789ab", "candidate")


def smoke(operations: Mapping[str, MeasuredOperation]) -> RunResult:
    return run_result("shop", total=divided(operations))


@pytest.mark.parametrize(
    ("operations", "missing"),
    [
        ({"list": GOOD, "buy": BAD}, ["buy"]),
        ({"list": GOOD, "buy": operation(ok=1, errors={"status": 4})}, []),
        ({"list": GOOD, "buy": operation(ok=0)}, []),  # nothing was sent
        ({"list": BAD, "buy": BAD}, []),
        ({}, []),
    ],
)
def test_operations_that_failed_every_time(operations: Mapping[str, MeasuredOperation], missing: list[str]) -> None:
    assert not_served(smoke(operations)) == missing


def test_no_session_or_mix_sends_them() -> None:
    reduced = without_operations(SHOP, ["pay"])
    assert weights_of(reduced) == {"list": 2, "buy": 2, "pay": 0, "visit": 0}
    assert weights_of(reduced, "reads") == {"list": 9, "buy": 0, "pay": 0, "visit": 0}
    assert reduced.digest != SHOP.digest


class Recorded:
    """The part of a recorder that proofs use."""

    def __init__(self) -> None:
        self.comparison = Comparison()
        self.left_out: list[str] = []

    @property
    def refused(self) -> list[str]:
        return sorted(self.comparison.refused)

    def refuse(self, contender: Contender, _reason: str) -> None:
        self.comparison.refused.add(contender.key)

    def leave_out(self, key: str, _reason: str) -> None:
        self.left_out.append(key)

    def problem_with(self, result: RunResult) -> str | None:
        return "its smoke test failed." if result.total is not None and result.total.error_rate >= 0.05 else None


class Smoked:
    """A measurer of smoke runs in which each side fails some operations."""

    def __init__(self, failing: Mapping[str, set[str]]) -> None:
        self.recorder = Recorded()
        self.testbed: Any = type("Testbed", (), {"of": lambda _self, _contender: None})()
        self._failing = failing

    def measure(self, run: RunRequest) -> list[RunResult]:
        sent = [name for name, weight in weights_of(run.contender.workload).items() if weight and name != "visit"]
        failing = self._failing[run.contender.factors["commit"]]
        return [smoke({name: BAD if name in failing else GOOD for name in sent})]


def proven(
    monkeypatch: pytest.MonkeyPatch, failing: Mapping[str, set[str]], order: tuple[str, ...] = SIDES
) -> tuple[dict[str, set[str]], Recorded]:
    """The operations that are sent to each side that may be measured."""
    smoked = Smoked(failing)
    measurer: Any = smoked
    sides = [Contender(target("shop"), SHOP, engine("native"), factors={"commit": side}) for side in order]
    made = Prover(measurer, ComparisonRequest("quick", "")).prove_all(sides)
    sent = {
        each.factors["commit"]: {name for name, weight in weights_of(each.workload).items() if weight} for each in made
    }
    return sent, smoked.recorder


@pytest.mark.parametrize("order", [SIDES, SIDES[::-1]])
def test_both_sides_are_measured_without_an_operation_that_the_base_lacks(
    monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...]
) -> None:
    sent, recorded = proven(monkeypatch, {SIDES[0]: {"pay"}, SIDES[1]: set()}, order)
    assert sent == {side: {"list", "buy"} for side in order}
    assert (recorded.refused, recorded.left_out) == ([], ["pay of shop commit=0123456789ab"])


@pytest.mark.parametrize("order", [SIDES, SIDES[::-1]])
def test_a_candidate_that_lacks_an_operation_fails_and_the_base_is_not_measured_alone(
    monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...]
) -> None:
    sent, recorded = proven(monkeypatch, {SIDES[0]: set(), SIDES[1]: {"pay"}}, order)
    assert sent == {}
    assert (recorded.refused, recorded.left_out) == (["shop commit=candidate"], [])


def test_a_base_that_serves_nothing_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, recorded = proven(monkeypatch, {SIDES[0]: {"list", "buy", "pay"}, SIDES[1]: set()})
    assert list(sent) == [SIDES[1]]
    assert recorded.refused == ["shop commit=0123456789ab"]
