"""Calls the gate over stored runs, measures for it, and prints what it decides."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import typer

from bakeoff.cli.runs_output import print_json, say, stored_history
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError
from bakeoff.gating.annotations import annotations_of
from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.gating.decision import Rules, decide, refuse_too_few_rounds, refuse_without_basis
from bakeoff.gating.goals import read_goals
from bakeoff.gating.junit import junit_of
from bakeoff.gating.request import request_of
from bakeoff.history.phases import Measurement, measurement_of
from bakeoff.history.run_references import Referenced, resolve, resolve_asked
from bakeoff.project import Project, find_project

_COLOURS = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.UNCLEAR: "yellow"}


@dataclass(frozen=True)
class AgainstOptions:
    """A commit to measure beside the checkout, in a mode, with options of `run` by their flags."""

    reference: str
    mode: str
    given: Mapping[str, Json]


@dataclass(frozen=True)
class GateOptions:
    """The command line's options, as typed; `rules` has the goals of the file `goals` added."""

    baseline: str | None
    candidate: str
    against: AgainstOptions | None
    goals: Path | None
    rules: Rules
    junit: Path | None
    github: bool
    as_json: bool
    command: str


def run_gate(options: GateOptions) -> None:
    """Exit status 0; 1 when something is worse; 2 when it is undecided."""
    try:
        gate = _gate(options)
        _report(gate, options)
    except BakeoffError as error:
        # 1 means that something is worse, and nothing else.
        raise BakeoffError(error.message, exit_code=max(2, error.exit_code)) from error
    raise typer.Exit(gate.exit_status)


def _gate(options: GateOptions) -> Gate:
    project = find_project()
    rules = replace(options.rules, goals=[] if options.goals is None else read_goals(options.goals))
    reference = options.candidate if options.against is None else _measured_against(project, options.against)
    with stored_history(project) as store:
        candidate, baseline = resolve_asked(project, store.server, reference), None
        refuse_without_basis(candidate, has_baseline=options.baseline is not None, has_goals=options.goals is not None)
        if options.baseline is not None:
            baseline = resolve(project, store.server, options.baseline, candidate.runs)

    def measure(names: Sequence[str]) -> Measurement:
        say(f"Measuring again: {', '.join(names)}.")
        return measurement_of(_measured(project, _request_to_repeat(candidate, names, options.command)).runs)

    return decide(candidate, baseline, rules, measure)


def _measured_against(project: Project, against: AgainstOptions) -> str:
    """Measures both sides and gives the comparison's name."""
    from bakeoff.cli.run.request import RunOptions, request_of

    given = {"against": against.reference, **{name: value for name, value in against.given.items() if value}}
    request = request_of(project, RunOptions(against.mode, "", given))
    refuse_too_few_rounds(request.rounds)
    # As a command of run, which repeats the measurement: a command of gate marks a rerun.
    words = [f"--{name}={value}" for name, values in given.items() for value in _each(values)]
    command = shlex.join(["./bakeoff", "run", against.mode, *words])
    comparison = _measured(project, replace(request, command=command))
    if comparison.id is None or comparison.unstored:
        raise BakeoffError("What was measured could not be stored, so there is nothing to check.")
    return f"c{comparison.id}"


def _each(value: Json) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _request_to_repeat(candidate: Referenced, targets: Sequence[str], command: str) -> ComparisonRequest:
    request = request_of(candidate.requested)
    if request is None:
        raise BakeoffError(
            f"{candidate.name} has no stored request, so it cannot be repeated to confirm the failure. Measure again "
            "with ./bakeoff run, or check the stored runs only, with --no-rerun."
        )
    return replace(request, targets=tuple(targets), command=command)


def _measured(project: Project, request: ComparisonRequest) -> Comparison:
    from rich.console import Console

    from bakeoff.cli.progress_display import shown_on
    from bakeoff.comparing.comparison import compare

    with shown_on(Console(stderr=True)) as progress:
        comparison = compare(project, request, progress)
    if comparison.interrupted:
        raise KeyboardInterrupt
    return comparison


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
