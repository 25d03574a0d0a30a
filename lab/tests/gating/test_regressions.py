"""Is it worse than the baseline: the thresholds, the noise floor, and runs that are no measurement."""

from collections.abc import Sequence
from dataclasses import replace
from math import exp
from random import Random
from statistics import fmean
from typing import Any

import pytest

from bakeoff.gating.check import Gate, Outcome
from bakeoff.gating.regressions import Limits, Sides, against_chance, check_regressions
from bakeoff.gating.validity import NOT_DURABLE, VALIDITY, broken
from bakeoff.history.phases import Measurement
from bakeoff.history.run_figures import figures_of
from bakeoff.results.run import Durability, Status
from made_up import measured, run_result

PASSED, FAILED, UNCLEAR = Outcome.PASSED, Outcome.FAILED, Outcome.UNCLEAR


def rounds(throughputs: Sequence[float], latency_ms: float = 1.0, failed: int = 0, **changes: Any) -> Measurement:
    runs = [
        replace(figures_of(run_result(total=measured(rate, latency_ms, failed), round=number)), **changes)
        for number, rate in enumerate(throughputs, start=1)
    ]
    return Measurement(runs, [])


def outcomes(gate: Gate) -> dict[str, Outcome]:
    return {check.metric: check.outcome for check in gate.checks}


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ([1000], [1000], PASSED),
        ([1000], [2000], PASSED),
        ([1000], [851], PASSED),
        ([1000], [849], FAILED),  # one round each: the noise is unknown
        ([1000, 1001, 999], [849, 850, 848], UNCLEAR),  # hardly beyond the limit, which chance does too
        ([1000, 1001, 999], [829, 830, 828], FAILED),
        ([1000, 1300, 700], [840, 1100, 600], UNCLEAR),  # the rounds differ more than the medians
        ([1000, 1300, 700], [100, 130, 80], FAILED),
    ],
)
def test_throughput(before: Sequence[float], after: Sequence[float], outcome: Outcome) -> None:
    gate = check_regressions(rounds(before), rounds(after), Limits())
    assert outcomes(gate)["throughput"] is outcome
    assert gate.exit_status == {PASSED: 0, FAILED: 1, UNCLEAR: 3}[outcome]
    assert gate.with_unclear("pass").exit_status == (1 if outcome is FAILED else 0)
    assert gate.with_unclear("fail").exit_status == (0 if outcome is PASSED else 1)


@pytest.mark.parametrize(("after_ms", "outcome"), [(1.0, PASSED), (1.19, PASSED), (1.21, FAILED), (0.5, PASSED)])
def test_p99(after_ms: float, outcome: Outcome) -> None:
    gate = check_regressions(rounds([1000]), rounds([1000], after_ms), Limits())
    assert outcomes(gate) == {"throughput": PASSED, "p99": outcome, "errors": PASSED}


@pytest.mark.parametrize(("failed", "outcome"), [(0, PASSED), (100, PASSED), (102, FAILED)])
def test_errors_need_no_baseline_of_their_own(failed: int, outcome: Outcome) -> None:
    gate = check_regressions(rounds([990], failed=5000), rounds([990], failed=failed), Limits())
    assert outcomes(gate)["errors"] is outcome


def test_limits_are_the_callers() -> None:
    gate = check_regressions(rounds([1000]), rounds([960]), Limits(throughput_decrease=0.03))
    assert outcomes(gate)["throughput"] is FAILED
    assert "-3%" in gate.checks[0].words


@pytest.mark.parametrize(
    "change", [{"load": "20"}, {"mode": "full"}, {"payload": "8k"}, {"engine": "k6"}, {"settings": {"pool_size": "5"}}]
)
def test_another_measurement_is_not_compared(change: dict[str, Any]) -> None:
    gate = check_regressions(rounds([1000]), rounds([1], **change), Limits())
    assert (outcomes(gate), len(gate.left_out), gate.exit_status) == ({"errors": PASSED}, 2, 2)


@pytest.mark.parametrize(("failed", "status"), [(10, 0), (1000, 1)])
def test_a_contender_that_the_baseline_does_not_have_may_not_fail_either(failed: int, status: int) -> None:
    new = rounds([1000], failed=failed, contender="new").runs
    gate = check_regressions(rounds([1000]), Measurement([*rounds([1000]).runs, *new], []), Limits())
    assert gate.exit_status == status
    assert [check.series.contender for check in gate.failed] == ["new"] * status
    # A rerun can confirm it.
    assert [check.metric for check in gate.checks if check.series.contender == "new"] == ["errors"]


@pytest.mark.parametrize(
    ("figures", "least", "most"),
    [
        ([([100], [50])], None, None),  # one round each says nothing of the noise
        ([([100, 100], [100, 100])], 0.5, 0.5),
        ([([100, 100], [50, 50])], 0, 0),
        ([([50, 50], [100, 100])], 1, 1),  # better is not worse
        ([([100, 101, 99], [99, 100, 101])], 0.49, 0.51),
        # Student's test by the book: means two tenths apart, standard error 0.0816, 4 degrees of freedom.
        ([([1.1052, 1.2214, 1.3499], [0.9048, 1, 1.1052])], 0.03, 0.04),
        # Satterthwaite: the calm side has hardly a degree of freedom to give to the restless one.
        ([([1.1052, 1.2214, 1.3499], [1, 1, 1])], 0.036, 0.038),
        # Four figures that are alike steady each other, and do not hide one that is restless.
        ([([100, 105, 95], [90, 86, 92])] * 4, 0.0, 0.015),
        ([([100, 150, 60], [90, 110, 75]), *[([100, 101, 99], [90, 91, 89])] * 3], 0.2, 0.5),
        # One round of this one, several of another: the noise of the other is not its own.
        ([([100], [50]), ([100, 101, 99], [100, 101, 99])], None, None),
    ],
)
def test_how_probable_it_is_that_chance_makes_it_worse(
    figures: Sequence[tuple[Sequence[float], Sequence[float]]], least: float | None, most: float | None
) -> None:
    first, *_ = against_chance([Sides(*each) for each in figures], 1.0, more_is_worse=False)
    if least is None or most is None:
        assert first is None
    else:
        assert first is not None and least <= first.chance <= most


def test_rounds_that_both_sides_share_hide_no_difference() -> None:
    before, after = [100, 60, 140, 90], [91, 54, 126, 80]
    apart, paired = (
        against_chance([Sides(before, after, each)], 1.0, more_is_worse=False)[0] for each in (False, True)
    )
    assert apart is not None and paired is not None
    assert apart.chance > 0.3 and paired.chance < 0.001
    assert apart.error > 5 * paired.error


def test_a_check_names_the_figures_that_it_compared() -> None:
    gate = check_regressions(rounds([100, 60, 140, 90]), rounds([91, 54, 126, 80]), Limits(), paired=True)
    change = next(check.change for check in gate.checks if check.metric == "throughput")
    assert change is not None and change.low is not None and change.high is not None
    assert (change.before, change.after, change.unit) == (95, 85.5, "ops/s")
    assert change.low < change.ratio < change.high < 1


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


def test_writes_that_are_durable_no_longer_fail_and_those_that_never_were_do_not() -> None:
    durable, lossy = (figures_of(run_result(durability=label)) for label in (Durability.PROVEN, Durability.NOT_DURABLE))
    assert [check.words for check in broken([durable, lossy], [durable])] == [NOT_DURABLE]
    assert broken([lossy], [durable, lossy]) == []
    assert broken([durable], [lossy]) == []


def test_what_would_be_found_is_found_in_four_of_five_gates() -> None:
    """Rounds that scatter by 3%: the promise is kept where the true loss is what the gate said that it would find."""
    numbers = Random(1)

    def made(mean: float) -> list[float]:
        return [mean * exp(numbers.gauss(0, 0.03)) for _ in range(6)]

    limits = Limits(throughput_decrease=0.05)
    promised = [
        next(
            check.would_find
            for check in check_regressions(rounds(made(1000)), rounds(made(1000)), limits, paired=True).checks
            if check.would_find is not None
        )
        for _ in range(200)
    ]
    loss = fmean(promised)
    found = [
        outcomes(check_regressions(rounds(made(1000)), rounds(made(1000 * (1 - loss))), limits, paired=True))[
            "throughput"
        ]
        is FAILED
        for _ in range(400)
    ]
    assert 0.70 <= fmean(found) <= 0.95
