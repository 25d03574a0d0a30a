"""`bakeoff gate`."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import typer

from bakeoff.cli.runs_output import print_json, say, stored_history
from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.gating.against import sides_of, unmeasured_sides
from bakeoff.gating.annotations import annotations_of
from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.gating.confirmation import confirmed, decided_over_more_rounds, request_to_repeat
from bakeoff.gating.goals import GoalSet, checked_against_goals, read_goals
from bakeoff.gating.junit import junit_of
from bakeoff.gating.regressions import (
    FALSE_ALARMS,
    FALSE_ALARMS_AT_ONCE,
    FALSE_ALARMS_TOGETHER,
    Limits,
    check_regressions,
)
from bakeoff.gating.validity import broken, unmeasured
from bakeoff.history.changed_workload import MARK, refuse_changed
from bakeoff.history.phases import Measurement, measurement_of
from bakeoff.history.run_references import Referenced, resolve, resolve_asked
from bakeoff.judging.estimates import FEWEST_ROUNDS
from bakeoff.project import Project, find_project

_COLOURS = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.UNCLEAR: "yellow"}


@dataclass(frozen=True)
class AgainstOptions:
    """What `--against` measures: a commit beside the checkout, in a mode, with options of `run` by their flags."""

    reference: str
    mode: str
    given: Mapping[str, Json]


@dataclass(frozen=True)
class GateOptions:
    """The command line's options, as typed."""

    baseline: str | None
    candidate: str
    against: AgainstOptions | None
    goals: Path | None
    limits: Limits
    rerun: bool
    junit: Path | None
    github: bool
    as_json: bool
    command: str
    strict: bool = False
    allow_changed_workload: bool = False


def run_gate(options: GateOptions) -> None:
    """Judges, confirms by a rerun, reports. Exit status 0; 1 when something is worse; 2 when it is undecided."""
    try:
        gate = _gate(options)
        gate = gate.strictly() if options.strict else gate
        _report(gate, options)
    except BakeoffError as error:
        # 1 means that something is worse, and nothing else.
        raise BakeoffError(error.message, exit_code=max(2, error.exit_code)) from error
    raise typer.Exit(gate.exit_status)


def _gate(options: GateOptions) -> Gate:
    project = find_project()
    sets = [] if options.goals is None else read_goals(options.goals)
    reference = options.candidate if options.against is None else _measured_against(project, options.against)
    with stored_history(project) as store:
        candidate = resolve_asked(project, store.server, reference)
        commit = _commit_of(candidate)
        _refuse_without_aim(options, commit)
        baseline, changed = None, list[str]()
        if options.baseline is not None:
            baseline = resolve(project, store.server, options.baseline, candidate.runs)
            _refuse_incomparable(baseline, candidate)
            changed = refuse_changed([*baseline.runs, *candidate.runs], allowed=options.allow_changed_workload)
    if commit is not None:
        return _gate_of_sides(project, candidate, commit, sets, options)
    before = None if baseline is None else baseline.measurement

    def judge(measurement: Measurement) -> Gate:
        judged = _judged(before, measurement, sets, options.limits)
        return marked(judged) if changed else judged

    def measure(names: Sequence[str]) -> Measurement:
        return _measured_again(project, candidate, names, options.command)

    gate = judge(candidate.measurement)
    missing = unmeasured([] if before is None else before.runs, candidate.runs, candidate.requested)
    gate = Gate([*missing, *gate.checks], gate.left_out)
    return confirmed(gate, candidate.measurement, measure, judge) if options.rerun else gate


def _gate_of_sides(
    project: Project, candidate: Referenced, commit: str, sets: Sequence[GoalSet], options: GateOptions
) -> Gate:
    """The gate of a comparison of two commits. What fails or is unclear is measured again on both sides."""
    assert candidate.requested is not None

    def judge_within(false_alarms: float, measurement: Measurement) -> Gate:
        limits = replace(options.limits, false_alarms=false_alarms)
        sides = sides_of(measurement, commit)
        parts = [
            check_regressions(sides.before, sides.after, limits, paired=True),
            checked_against_goals(sets, [*sides.after.runs, *sides.after.operations]),
        ]
        checks = [*broken(sides.after.runs), *(check for part in parts for check in part.checks)]
        gate = Gate(checks, [words for part in parts for words in part.left_out])
        changed = refuse_changed(measurement.runs, allowed=options.allow_changed_workload)
        return marked(gate) if changed else gate

    def measure(names: Sequence[str]) -> Measurement:
        return _measured_again(project, candidate, names, options.command)

    measured = candidate.measurement
    gate = judge_within(FALSE_ALARMS_AT_ONCE if options.rerun else FALSE_ALARMS, measured)
    gate = Gate([*unmeasured_sides(candidate.requested, commit), *gate.checks], gate.left_out)
    if not options.rerun:
        return gate
    judge = partial(judge_within, FALSE_ALARMS_TOGETHER)
    return decided_over_more_rounds(gate, measured, sides_of(measured, commit).after, measure, judge)


def _commit_of(candidate: Referenced) -> str | None:
    """The commit that a comparison was measured against."""
    request = None if candidate.requested is None else candidate.requested.request
    return None if request is None else request.against


def _refuse_without_aim(options: GateOptions, commit: str | None) -> None:
    if commit is not None and options.baseline is not None:
        raise UsageError(
            f"The candidate was measured against the commit {commit[:12]} already: leave out --baseline, or name "
            "another --candidate."
        )
    if commit is None and options.baseline is None and options.goals is None:
        raise UsageError(
            "gate needs something to compare with: --against REF (recommended), --baseline REF or --goals FILE.toml."
        )


def _measured_against(project: Project, against: AgainstOptions) -> str:
    """Measures both sides and gives the comparison's name."""
    from rich.console import Console

    from bakeoff.cli.progress_display import shown_on
    from bakeoff.cli.run_options import RunOptions, request_of
    from bakeoff.comparing.comparison import compare

    given = {"against": against.reference, **{name: value for name, value in against.given.items() if value}}
    request = request_of(project, RunOptions(against.mode, "", given))
    if request.rounds < FEWEST_ROUNDS:
        raise UsageError(f"--against needs at least {FEWEST_ROUNDS} rounds to tell a difference from chance.")
    # As a command of run, which repeats the measurement: a command of gate marks a rerun.
    words = [f"--{name}={value}" for name, values in given.items() for value in _each(values)]
    request = replace(request, command=shlex.join(["./bakeoff", "run", against.mode, *words]))
    with shown_on(Console(stderr=True)) as progress:
        comparison = compare(project, request, progress)
    if comparison.interrupted:
        raise KeyboardInterrupt
    if comparison.id is None or comparison.unstored:
        raise BakeoffError("What was measured could not be stored, so there is nothing to check.")
    return f"c{comparison.id}"


def _each(value: Json) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


def marked(gate: Gate) -> Gate:
    """The gate, each of its checks with the words that its workload changed."""
    return replace(gate, checks=[replace(check, words=f"{check.words}; {MARK}") for check in gate.checks])


def _judged(baseline: Measurement | None, candidate: Measurement, sets: Sequence[GoalSet], limits: Limits) -> Gate:
    parts = [checked_against_goals(sets, [*candidate.runs, *candidate.operations])]
    if baseline is not None:
        parts.insert(0, check_regressions(baseline, candidate, limits))
    checks = [*broken(candidate.runs), *(check for part in parts for check in part.checks)]
    return Gate(checks, [words for part in parts for words in part.left_out])


def _refuse_incomparable(baseline: Referenced, candidate: Referenced) -> None:
    if baseline.comparison_id is not None and baseline.comparison_id == candidate.comparison_id:
        raise UsageError(
            f"The baseline {baseline.name} is the measurement itself. Measure first (./bakeoff run quick --rounds 5), "
            "or name another measurement with --candidate."
        )
    before, after = ({run.machine for run in each.runs if run.status == "completed"} for each in (baseline, candidate))
    if before and after and before != after:
        raise BakeoffError(
            f"The baseline was measured on {', '.join(sorted(before))}, the candidate on {', '.join(sorted(after))}: a "
            "difference between machines says nothing about the code. Measure the baseline here.",
        )


def _measured_again(project: Project, candidate: Referenced, names: Sequence[str], command: str) -> Measurement:
    from rich.console import Console

    from bakeoff.cli.progress_display import shown_on
    from bakeoff.comparing.comparison import compare

    request = request_to_repeat(candidate, names, command)
    say(f"Measuring again: {', '.join(names)}.")
    with shown_on(Console(stderr=True)) as progress:
        comparison = compare(project, request, progress)
    if comparison.interrupted:
        raise KeyboardInterrupt
    return measurement_of(comparison.runs)


def _report(gate: Gate, options: GateOptions) -> None:
    if options.junit is not None:
        try:
            options.junit.write_text(junit_of(gate), "utf-8")
        except OSError as error:
            raise BakeoffError(f"{options.junit} cannot be written: {error.strerror}.") from error
    if options.as_json:
        print_json(
            {"failed": bool(gate.failed), "checks": [asdict(check) for check in gate.checks], "left_out": gate.left_out}
        )
        return
    # There are many phases: only those that did not pass are shown. Operations are few, and each is shown.
    shown = [check for check in gate.checks if not check.series.phase or check.outcome is not Outcome.PASSED]
    for label in dict.fromkeys(check.series.label for check in shown):
        typer.echo(label)
        for check in shown:
            if check.series.label == label:
                typer.echo(_line(check))
    for reason in gate.left_out:
        say(f"left out: {reason}")
    if options.github:
        for line in annotations_of(gate):
            typer.echo(line)
    if gate.stale_baseline:
        say("This machine was slower than for the baseline. Measure both commits now: ./bakeoff gate --against REF.")
    if not gate.compared:
        say("Nothing could be compared. Measure the same targets, mode, payload and load as the baseline.")


def _line(check: Check) -> str:
    word = typer.style(f"{check.outcome:7}", fg=_COLOURS[check.outcome])
    return f"  {word}  {check.metric:10}  {check.words}"
