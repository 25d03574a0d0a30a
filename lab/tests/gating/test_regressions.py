"""Is it worse than the baseline: the thresholds, the noise floor, and runs that are no measurement."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bakeoff.gating.check import Gate, Outcome
from bakeoff.gating.noise import noise_floor
from bakeoff.gating.regressions import Limits, held_against
from bakeoff.gating.validity import VALIDITY, broken
from bakeoff.history.figures import RunFigures, figures_of
from bakeoff.running.result import Status
from run_values import measured, run_result

PASSED, FAILED, UNCLEAR = Outcome.PASSED, Outcome.FAILED, Outcome.UNCLEAR


def rounds(throughputs: Sequence[float], latency_ms: float = 1.0, failed: int = 0, **changes: Any) -> list[RunFigures]:
    return [
        replace(figures_of(run_result(total=measured(rate, latency_ms, failed), round=number)), **changes)
        for number, rate in enumerate(throughputs, start=1)
    ]


def outcomes(gate: Gate) -> dict[str, Outcome]:
    return {check.metric: check.outcome for check in gate.checks}


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ([1000], [1000], PASSED),
        ([1000], [2000], PASSED),
        ([1000], [851], PASSED),
        ([1000], [849], FAILED),  # one round each: the noise is unknown
        ([1000, 1001, 999], [849, 850, 848], FAILED),
        ([1000, 1300, 700], [840, 1100, 600], UNCLEAR),  # the rounds differ more than the medians
        ([1000, 1300, 700], [300, 350, 250], FAILED),
    ],
)
def test_throughput(before: Sequence[float], after: Sequence[float], outcome: Outcome) -> None:
    gate = held_against(rounds(before), rounds(after), Limits())
    assert outcomes(gate)["throughput"] is outcome
    assert gate.exit_status == (1 if outcome is FAILED else 0)


@pytest.mark.parametrize(("after_ms", "outcome"), [(1.0, PASSED), (1.19, PASSED), (1.21, FAILED), (0.5, PASSED)])
def test_p99(after_ms: float, outcome: Outcome) -> None:
    gate = held_against(rounds([1000]), rounds([1000], after_ms), Limits())
    assert outcomes(gate) == {"throughput": PASSED, "p99": outcome, "errors": PASSED}


@pytest.mark.parametrize(("failed", "outcome"), [(0, PASSED), (100, PASSED), (102, FAILED)])
def test_errors_need_no_baseline_of_their_own(failed: int, outcome: Outcome) -> None:
    gate = held_against(rounds([990], failed=5000), rounds([990], failed=failed), Limits())
    assert outcomes(gate)["errors"] is outcome


def test_limits_are_the_callers() -> None:
    gate = held_against(rounds([1000]), rounds([960]), Limits(throughput_decrease=0.03))
    assert outcomes(gate)["throughput"] is FAILED
    assert "-3%" in gate.checks[0].words


@pytest.mark.parametrize(
    "change", [{"load": "20"}, {"mode": "full"}, {"payload": "8k"}, {"engine": "k6"}, {"settings": {"pool_size": "5"}}]
)
def test_another_measurement_is_not_compared(change: dict[str, Any]) -> None:
    gate = held_against(rounds([1000]), rounds([1], **change), Limits())
    assert (gate.checks, len(gate.left_out), gate.exit_status) == ([], 2, 2)


def test_noise_is_pooled_over_series_and_shrinks_with_rounds() -> None:
    assert noise_floor([[100], [200]], (1, 1)) is None
    assert noise_floor([[100, 100], [200, 200]], (2, 2)) == 0.0
    quiet, loud = [100.0, 101.0, 99.0], [100.0, 120.0, 80.0]
    one, both = noise_floor([quiet], (3, 3)), noise_floor([quiet, loud], (3, 3))
    assert one is not None and both is not None and one < both
    more = noise_floor([quiet], (12, 12))
    assert more is not None and more == pytest.approx(one / 2, rel=0.05)


@pytest.mark.parametrize(
    ("statuses", "words"),
    [
        ([Status.COMPLETED], None),
        ([Status.COMPLETED, Status.FAILED], None),
        ([Status.COMPLETED, Status.INTERRUPTED], None),
        ([Status.COMPLETED, Status.VOID], "1 of 2 runs void"),
        ([Status.FAILED, Status.FAILED], "none of 2 runs completed"),
    ],
)
def test_runs_that_are_no_measurement(statuses: Sequence[Status], words: str | None) -> None:
    runs = [figures_of(run_result(status=status, round=number)) for number, status in enumerate(statuses, start=1)]
    checks = broken(runs)
    assert [check.metric for check in checks] == ([] if words is None else [VALIDITY])
    assert words is None or words in checks[0].words
