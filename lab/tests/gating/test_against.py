"""Two commits in one comparison: their sides, and how often the gate is wrong."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.gating.check import Change, Check, Gate, Outcome
from bakeoff.gating.circumstances import Circumstances
from bakeoff.gating.confirmation import confirmed
from bakeoff.gating.decision import sides_of, slower_operations, unmeasured_sides
from bakeoff.gating.pull_request import Summary, markdown_of
from bakeoff.gating.regressions import (
    FALSE_ALARMS,
    FALSE_ALARMS_AT_ONCE,
    FALSE_ALARMS_TOGETHER,
    Limits,
    check_regressions,
)
from bakeoff.gating.sentence import sentence_of
from bakeoff.gating.validity import broken
from bakeoff.history.phases import Measurement
from bakeoff.history.run_figures import RunFigures, figures_of
from bakeoff.history.run_references import Referenced, Requested
from bakeoff.storage.stored_runs import StoredComparison
from made_up import comparison_of, run_result

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LEVELS = {"commit=0123456789ab": 0, "commit=candidate": 1}
RUN = figures_of(run_result())


def figures(target: str, side: str, number: int, throughput: float, p99: float) -> RunFigures:
    name = f"{target} {side}"
    return replace(RUN, target=target, contender=name, round=number, throughput_per_s=throughput, p99_ms=p99)


def measurement(
    random: np.random.Generator, slower: float = 0.0, targets: int = 1, rounds: int = 5, noise: float = 0.03
) -> Measurement:
    """Rounds of both sides on a machine that drifts by a fifth between rounds; p99 is three times as noisy."""
    runs = []
    for number in range(1, rounds + 1):
        weather = 0.2 * random.standard_normal()
        for target in range(targets):
            for side, is_candidate in LEVELS.items():
                speed = np.exp(weather + noise * random.standard_normal()) * (1 - slower * is_candidate)
                tail = 20 * np.exp(-weather + 3 * noise * random.standard_normal())
                runs.append(figures(f"t{target}", side, number, 1000 * float(speed), float(tail)))
    return Measurement(runs, [])


def judged(measured: Measurement, limits: Limits) -> Gate:
    before, after = sides_of(measured, COMMIT)
    return check_regressions(before, after, limits, paired=True)


def gate_of(
    seed: int, slower: float = 0.0, allowed: float = 0.15, targets: int = 1, noise: float = 0.03, rerun: bool = True
) -> Gate:
    """A gate with its rerun, as the command makes it."""
    random = np.random.default_rng(seed)
    first = measurement(random, slower, targets, noise=noise)

    def judge(measured: Measurement, false_alarms: float = FALSE_ALARMS_TOGETHER) -> Gate:
        return judged(measured, Limits(throughput_decrease=allowed, false_alarms=false_alarms))

    def again(_names: Sequence[str]) -> Measurement:
        return measurement(random, slower, targets, noise=noise)

    if not rerun:
        return judge(first, FALSE_ALARMS)
    after = sides_of(first, COMMIT)[1]
    return confirmed(judge(first, FALSE_ALARMS_AT_ONCE), after, again, judge, first)


def test_each_side_is_named_as_if_it_were_alone() -> None:
    before, after = sides_of(measurement(np.random.default_rng(1), targets=2), COMMIT)
    for side in (before, after):
        assert [run.contender for run in side.runs] == ["t0", "t1"] * 5
    assert [run.series for run in before.runs] == [run.series for run in after.runs]


@pytest.mark.parametrize(("targets", "allowed"), [(1, 0.0), (1, 0.15), (6, 0.0)])
def test_the_same_commit_on_both_sides_fails_one_gate_in_a_hundred_at_most(targets: int, allowed: float) -> None:
    gates = [gate_of(seed, allowed=allowed, targets=targets) for seed in range(400)]
    assert sum(bool(gate.failed) for gate in gates) <= 4


@pytest.mark.parametrize("noise", [0.03, 0.06])
def test_a_change_that_is_allowed_fails_one_gate_in_a_hundred_at_most(noise: float) -> None:
    gates = [gate_of(seed, slower=0.14, allowed=0.15, noise=noise) for seed in range(300)]
    assert sum(bool(gate.failed) for gate in gates) <= 6


def test_a_seventh_less_throughput_is_found_where_a_twentieth_is_allowed() -> None:
    gates = [gate_of(seed, slower=0.15, allowed=0.05) for seed in range(200)]
    assert sum(bool(gate.failed) for gate in gates) >= 180


@pytest.mark.parametrize("noise", [0.03, 0.05, 0.07])
def test_a_noisy_machine_finds_more_by_measuring_again(noise: float) -> None:
    with_rerun, alone = (failures(noise, rerun=rerun) for rerun in (True, False))
    assert with_rerun >= min(200, 1.2 * alone)


def failures(noise: float, *, rerun: bool) -> int:
    """How many of 200 gates of a seventh less throughput fail."""
    gates = [gate_of(seed, slower=0.15, allowed=0.05, noise=noise, rerun=rerun) for seed in range(200)]
    return sum(bool(gate.failed) for gate in gates)


def test_the_operations_that_failed_are_named_by_target_the_slowest_first() -> None:
    def check(operation: str, ratio: float, outcome: Outcome = Outcome.FAILED) -> Check:
        series = replace(RUN, contender="t0", operation=operation).series
        return Check(series, "mean", outcome, "", change=Change(1, ratio, "ms", ratio))

    measured = measurement(np.random.default_rng(1))
    candidates = [run for run in measured.runs if "candidate" in run.contender]
    operations = [replace(run, operation=name) for run in candidates for name in ("list", "buy")]
    candidate = Referenced("c1", [], comparison_against(COMMIT))
    candidate.__dict__["measurement"] = replace(measured, operations=operations)
    gate = Gate([check("list", 1.2), check("buy", 3.0), check("pay", 9.0, Outcome.UNCLEAR)], [])
    assert slower_operations(gate, candidate) == {"t0": ["buy", "list"]}
    assert slower_operations(Gate([check("", 1.2)], []), candidate) == {"t0": ["list", "buy"]}
    assert slower_operations(gate, Referenced("c1", [])) == {}


def comparison_against(commit: str) -> StoredComparison:
    return comparison_of(request=ComparisonRequest("quick", "", against=commit).as_document())


def test_without_a_rerun_one_gate_in_a_hundred_fails_too() -> None:
    limits = Limits(throughput_decrease=0.0, p99_increase=0.0)
    gates = [judged(measurement(np.random.default_rng(seed), targets=3), limits) for seed in range(400)]
    assert sum(bool(gate.failed) for gate in gates) <= 8


def test_writes_that_only_the_new_rounds_lost_fail() -> None:
    random = np.random.default_rng(1)
    first, second = (measurement(random, slower=0.1, noise=0.2) for _ in range(2))
    lost = [replace(run, status="void") if "candidate" in run.contender else run for run in second.runs]

    def judge(measured: Measurement) -> Gate:
        after = sides_of(measured, COMMIT)[1]
        gate = judged(measured, Limits(throughput_decrease=0.0, p99_increase=0.0))
        return replace(gate, checks=[*broken(after.runs), *gate.checks])

    after = sides_of(first, COMMIT)[1]
    gate = confirmed(judge(first), after, lambda _names: replace(second, runs=lost), judge, first)
    assert [check.metric for check in judge(first).failed] == []
    assert [check.metric for check in gate.failed] == ["validity"]


@pytest.mark.parametrize(
    ("refused", "outcomes"),
    [
        ({}, []),
        ({"t0 commit=candidate": "t0: does not build."}, [Outcome.FAILED]),
        # Nothing to compare with: that is no failure of the candidate.
        ({"t0 commit=0123456789ab": "t0: fails 3 cases."}, [Outcome.UNCLEAR]),
        ({"t0": "skipped, cargo not found"}, []),
    ],
)
def test_what_one_side_lacks(refused: dict[str, str], outcomes: Sequence[Outcome]) -> None:
    checks = unmeasured_sides(Requested({}, "completed", refused, frozenset(refused)), COMMIT)
    assert [check.outcome for check in checks] == outcomes
    gate = Gate(checks, [])
    assert gate.exit_status == (1 if Outcome.FAILED in outcomes else 2)
    assert gate.with_unclear("fail").exit_status == (1 if outcomes else 2)


LOG = f"Last lines of {'/long' * 40}.log:\n    trying\n    no gcc"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (f"image shop did not build (docker build {'--a ' * 40}. ended with status 1).", "image shop did not build."),
        (
            "prepare failed with status 1. Correct prepare in its storage.",
            "prepare failed with status 1. Correct prepare in its storage.",
        ),
    ],
)
def test_a_candidate_that_could_not_be_measured_is_named_in_the_comment_with_the_log(words: str, sentence: str) -> None:
    name = "shop commit=candidate"
    requested = Requested({}, "completed", {name: f"{name}: {words} {LOG}"}, frozenset({name}))
    gate = Gate(unmeasured_sides(requested, COMMIT), [])
    assert (gate.exit_status, sentence_of(gate)) == (1, f"shop: not measured: {sentence}")
    text = markdown_of(Summary(gate, Circumstances({}), "Performance"))
    assert f"**shop: not measured: {sentence}**" in text
    assert f"- shop, validity: not measured: {sentence[:-1]}" in text
    assert "trying no gcc\n" in text
    assert "commit=candidate" not in text
