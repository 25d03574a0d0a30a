"""Cases that need a token get a process of the target's that asks for one, where it can."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from key_value_workload import key_value_case, key_value_workload
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing import preparation
from bakeoff.conformance.case import GrpcExpectation, GrpcSide, HttpExpectation, HttpSide
from bakeoff.conformance.runner import CaseResult, ConformanceResult
from bakeoff.options.variant import Variant
from bakeoff.project import Project
from bakeoff.running.testbed import Testbed
from bakeoff.targets.access import Access
from bakeoff.targets.manifest import Target
from made_up_manifests import target as made_up_target

HTTP = HttpSide(HttpExpectation(200))
GRPC = GrpcSide(GrpcExpectation(("OK",)))
CASES = (
    replace(key_value_case(http=HTTP), name="open"),
    replace(key_value_case(http=HTTP), name="secured", token=True),
    replace(key_value_case(grpc=GRPC), name="secured-grpc", token=True),
)


class Processes:
    """Keeps the requests of each process, and passes all cases."""

    def __init__(self) -> None:
        self.received: list[tuple[bool, tuple[str, ...]]] = []

    def __call__(
        self, _bench: Testbed, _target: Target, _workload: object, variant: Variant, patterns: Sequence[str]
    ) -> ConformanceResult:
        self.received.append((variant.token, tuple(patterns)))
        results = tuple(CaseResult(name, "s", "r", ()) for name in patterns or ["open"])
        return ConformanceResult("rest", results, len(CASES) - len(results))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Processes:
    processes = Processes()
    monkeypatch.setattr(preparation, "_conform", processes)
    monkeypatch.setattr(preparation, "load_cases", lambda _: CASES)
    return processes


def target(protocol: str = "rest", *, asks_for_tokens: bool = True) -> Target:
    settings = {"api_token": "API_TOKEN"} if asks_for_tokens else {}
    return made_up_target("a-target", protocol, settings=settings)


def conform(folder: Path, target: Target, variant: Variant, *, attached: bool = False) -> ConformanceResult:
    access = {"a-target": Access("127.0.0.1", 1)} if attached else {}
    testbed = Testbed(Project(folder), None, PlainProgress(Console(quiet=True)), access)
    return preparation.conform(testbed, target, key_value_workload(folder), variant)


@pytest.mark.parametrize(("protocol", "name"), [("rest", "secured"), ("grpc", "secured-grpc")])
def test_they_run_after_the_others_and_count(protocol: str, name: str, started: Processes, tmp_path: Path) -> None:
    result = conform(tmp_path, target(protocol), Variant())

    assert started.received == [(False, ()), (True, (name,))]
    assert ([each.case for each in result.results], result.not_applicable) == (["open", name], 1)


def test_a_target_that_asks_for_a_token_anyway_runs_them_with_the_others(started: Processes, tmp_path: Path) -> None:
    conform(tmp_path, target(), Variant(token=True))

    assert started.received == [(True, ())]


def test_a_target_that_knows_no_token_is_left_without_them(started: Processes, tmp_path: Path) -> None:
    result = conform(tmp_path, target(asks_for_tokens=False), Variant())

    assert started.received == [(False, ())]
    assert result.not_applicable == 2


def test_a_target_that_somebody_else_started_is_not_started_again(started: Processes, tmp_path: Path) -> None:
    conform(tmp_path, target(), Variant(), attached=True)

    assert started.received == [(False, ())]
