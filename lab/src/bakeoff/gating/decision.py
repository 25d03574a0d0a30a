"""The gate of a measurement: checks it against a baseline, another commit or goals, and repeats what failed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.gating.confirmation import Measure, confirmed
from bakeoff.gating.goals import GoalSet, checked_against_goals
from bakeoff.gating.regressions import (
    FALSE_ALARMS,
    FALSE_ALARMS_AT_ONCE,
    FALSE_ALARMS_TOGETHER,
    Limits,
    check_regressions,
)
from bakeoff.gating.request import request_of
from bakeoff.gating.sentence import severity
from bakeoff.gating.validity import VALIDITY, broken, unmeasured
from bakeoff.history.changed_workload import MARK, refuse_changed
from bakeoff.history.phases import Measurement
from bakeoff.history.run_figures import RunFigures, Series
from bakeoff.history.run_references import Referenced, Requested
from bakeoff.judging.estimates import FEWEST_ROUNDS
from bakeoff.options.variant import CANDIDATE, COMMIT, key_of, short
from bakeoff.project import COMMAND

Figures = TypeVar("Figures", bound=RunFigures)

# A request of each is sent by itself to find the reason: more would take longer than they explain.
_MOST_OPERATIONS = 5

_CANDIDATE = key_of("", {COMMIT: CANDIDATE})


def sides_of(measurement: Measurement, commit: str) -> tuple[Measurement, Measurement]:
    """Both sides of a comparison against a commit, before and after, in the same rounds.

    The contenders of either are named as if it were alone.
    """
    return _side(measurement, _before(commit)), _side(measurement, _CANDIDATE)


def unmeasured_sides(requested: Requested, commit: str) -> list[Check]:
    """A check for each contender that one side lacks: a failure where it is the candidate's.

    What fails the contract at the commit says nothing of the candidate, which then has nothing to be compared with.
    The candidate's side has the plain name of the contender.
    """
    sides = {_before(commit): (Outcome.UNCLEAR, ""), _CANDIDATE: (Outcome.FAILED, _CANDIDATE)}
    return [
        Check(
            Series(name.removesuffix(plain), "", "", "", "", ()),
            VALIDITY,
            outcome,
            f"not measured: {reason.removeprefix(f'{name}: ')}",
            final=True,
            unmatched=True,
        )
        for name, reason in requested.not_measured.items()
        for suffix, (outcome, plain) in sides.items()
        if name.endswith(suffix)
    ]


def _before(commit: str) -> str:
    return key_of("", {COMMIT: short(commit)})


def _side(measurement: Measurement, suffix: str) -> Measurement:
    def own(figures: list[Figures]) -> list[Figures]:
        named = ((each, each.contender.removesuffix(suffix)) for each in figures if each.contender.endswith(suffix))
        return [replace(each, contender=name) for each, name in named]

    operations = own(list(measurement.operations))
    return Measurement(own(list(measurement.runs)), own(list(measurement.phases)), measurement.conditions, operations)


@dataclass(frozen=True)
class Rules:
    """The limits and goals, whether failed measurements are repeated, and what becomes of what is unclear."""

    limits: Limits
    goals: Sequence[GoalSet] = ()
    rerun: bool = True
    unclear: Literal["pass", "fail"] | None = None
    allow_changed_workload: bool = False


def decide(candidate: Referenced, baseline: Referenced | None, rules: Rules, measure: Measure) -> Gate:
    """The gate of a measurement; `measure` repeats it for some of its targets. Raises UsageError without a basis."""
    commit = _commit_of(candidate)
    if baseline is not None:
        _refuse_incomparable(baseline, candidate)
    gate = (
        _against_baseline(candidate, baseline, rules, measure)
        if commit is None
        else _against_commit(candidate, commit, rules, measure)
    )
    return gate if rules.unclear is None else gate.with_unclear(rules.unclear)


def slower_operations(gate: Gate, candidate: Referenced) -> dict[str, list[str]]:
    """The operations that failed against another commit, the slowest first, by target; of a whole run all of them."""
    commit = _commit_of(candidate)
    if commit is None:
        return {}
    _, after = sides_of(candidate.measurement, commit)
    targets = {run.contender: run.target for run in after.runs}
    slower: dict[str, list[str]] = {}
    for check in sorted((check for check in gate.failed if check.change is not None), key=severity, reverse=True):
        contender, operation = check.series.contender, check.series.operation
        named = (
            [operation] if operation else [each.operation for each in after.operations if each.contender == contender]
        )
        slower.setdefault(targets[contender], []).extend(named)
    return {target: list(dict.fromkeys(names))[:_MOST_OPERATIONS] for target, names in slower.items()}


def _commit_of(candidate: Referenced) -> str | None:
    """The commit that a comparison was measured against."""
    request = request_of(candidate.requested)
    return None if request is None else request.against


def refuse_too_few_rounds(rounds: int) -> None:
    """Raises UsageError for a comparison of two commits that no test could decide."""
    if rounds < FEWEST_ROUNDS:
        raise UsageError(f"--against needs at least {FEWEST_ROUNDS} rounds to separate a difference from chance.")


def _against_baseline(candidate: Referenced, baseline: Referenced | None, rules: Rules, measure: Measure) -> Gate:
    before = None if baseline is None else baseline.measurement
    known = [] if baseline is None else baseline.runs
    changed = baseline is not None and refuse_changed([*known, *candidate.runs], allowed=rules.allow_changed_workload)

    def judge(measurement: Measurement) -> Gate:
        regressions = [] if before is None else [check_regressions(before, measurement, rules.limits)]
        return _judged(measurement, known, regressions, rules, marked=bool(changed))

    gate = judge(candidate.measurement)
    gate = replace(gate, checks=[*unmeasured(known, candidate.runs, candidate.requested), *gate.checks])
    return confirmed(gate, candidate.measurement, measure, judge) if rules.rerun else gate


def _against_commit(candidate: Referenced, commit: str, rules: Rules, measure: Measure) -> Gate:
    """The gate of both sides. What fails or is unclear is measured again on both."""
    assert candidate.requested is not None
    measured = candidate.measurement

    def judge(measurement: Measurement, false_alarms: float = FALSE_ALARMS_TOGETHER) -> Gate:
        before, after = sides_of(measurement, commit)
        limits = replace(rules.limits, false_alarms=false_alarms)
        changed = refuse_changed(measurement.runs, allowed=rules.allow_changed_workload)
        regressions = check_regressions(before, after, limits, paired=True)
        return _judged(after, before.runs, [regressions], rules, marked=bool(changed))

    gate = judge(measured, FALSE_ALARMS_AT_ONCE if rules.rerun else FALSE_ALARMS)
    lacking = unmeasured_sides(candidate.requested, commit)
    nothing_before = any(check.outcome is Outcome.UNCLEAR for check in lacking)
    gate = replace(gate, checks=[*lacking, *gate.checks], nothing_before=nothing_before)
    if not rules.rerun:
        return gate
    _, after = sides_of(measured, commit)
    return confirmed(gate, after, measure, judge, measured)


def _judged(
    candidate: Measurement, before: Sequence[RunFigures], regressions: Sequence[Gate], rules: Rules, *, marked: bool
) -> Gate:
    """Lost writes, regressions and goals; `marked` adds to each check that its workload changed."""
    parts = [*regressions, checked_against_goals(rules.goals, [*candidate.runs, *candidate.operations])]
    checks = [*broken(candidate.runs, before), *(check for part in parts for check in part.checks)]
    if marked:
        checks = [replace(check, words=f"{check.words}; {MARK}") for check in checks]
    return Gate(checks, [words for part in parts for words in part.left_out])


def refuse_without_basis(candidate: Referenced, *, has_baseline: bool, has_goals: bool) -> None:
    """Raises UsageError where the gate has nothing to compare with, or two things."""
    commit = _commit_of(candidate)
    if commit is not None and has_baseline:
        raise UsageError(
            f"The candidate was measured against the commit {commit[:12]} already: leave out --baseline, or name "
            "another --candidate."
        )
    if commit is None and not has_baseline and not has_goals:
        raise UsageError(
            "gate needs something to compare with: --against REF (recommended), --baseline REF or --goals FILE.toml."
        )


def _refuse_incomparable(baseline: Referenced, candidate: Referenced) -> None:
    if baseline.comparison_id is not None and baseline.comparison_id == candidate.comparison_id:
        raise UsageError(
            f"The baseline {baseline.name} is the measurement itself. Measure first ({COMMAND} run quick --rounds 5), "
            "or name another measurement with --candidate."
        )
    before, after = ({run.machine for run in each.runs if run.status == "completed"} for each in (baseline, candidate))
    if before and after and before != after:
        raise BakeoffError(
            f"The baseline was measured on {', '.join(sorted(before))}, the candidate on {', '.join(sorted(after))}: a "
            "difference between machines says nothing about the code. Measure the baseline here.",
        )
