"""Calls the gate over stored runs, measures for it, and prints what it decides."""

import contextlib
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import typer

from bakeoff.cli.output import print_json, say
from bakeoff.cli.progress_display import shown
from bakeoff.cli.stored_history import stored_history
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.containers.docker import docker_address
from bakeoff.containers.removal import images_removed
from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError, NothingToCompareError
from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.gating.circumstances import caution_of
from bakeoff.gating.decision import Rules, decide, refuse_too_few_rounds, refuse_without_basis, slower_operations
from bakeoff.gating.request import request_of
from bakeoff.gating.sentence import sentence_of, verdict_of, would_find
from bakeoff.history.phases import Measurement, measurement_of
from bakeoff.history.run_references import Referenced, resolve, resolve_asked
from bakeoff.options.kinds import duration
from bakeoff.options.table import DOCKER
from bakeoff.project import COMMAND, Project, find_project
from bakeoff.reporting.reasons import Reason, RequestCost
from bakeoff.running.lock import measuring_lab

# A second look takes as long as the first, without its builds.
_SHARE_OF_FIRST_LOOK = 2 / 3
_COLOURS = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.UNCLEAR: "yellow"}


@dataclass(frozen=True)
class Decision:
    """A gate, the measurements that it compared, and why a side is slower as far as it is known."""

    gate: Gate
    candidate: Referenced
    baseline: Referenced | None = None
    reasons: Sequence[Reason] = ()

    @property
    def reasons_in_words(self) -> list[str]:
        return [each.words for each in self.reasons if each.words]


def judge_against(mode: str, given: Mapping[str, Json], baseline: str | None, rules: Rules, command: str) -> Decision:
    """Measures both sides in a mode, with options of `run` by their flags, and compares them.

    Another gate of this machine is waited for. A first run, with nothing to compare with, is a decision too.
    """
    project = find_project()
    with measuring_lab(project, before_waiting=say), _images_removed(project, given):
        began = time.monotonic()
        try:
            candidate = measure_against(mode, given)
        except NothingToCompareError as error:
            return Decision(Gate([], [error.message], nothing_before=True), Referenced("", []))
        in_time = rules_in_time(rules, given, time.monotonic() - began)
        if in_time.rerun is not rules.rerun:
            say("Most of the time is spent, so nothing is measured again: the rounds so far decide.")
        decision = judge_stored(candidate, baseline, in_time, command)
        return replace(decision, reasons=_reasons(decision))


def _images_removed(project: Project, given: Mapping[str, Json]) -> contextlib.AbstractContextManager[None]:
    """Removes the images of both commits once no pass needs them."""
    if given.get("in") != DOCKER:
        return contextlib.nullcontext()
    return images_removed(docker_address(), project.root)


def _reasons(decision: Decision) -> list[Reason]:
    """What the slower operations do that they did not do before: their statements, then the functions of the target."""
    from bakeoff.cli.cpu_profiles import write_profile
    from bakeoff.comparing.cpu_profiles import slower_pairs
    from bakeoff.comparing.statement_counts import more_statements

    request = request_of(decision.candidate.requested)
    slower = slower_operations(decision.gate, decision.candidate)
    if request is None or not slower:
        return []
    project = find_project()
    reasons: list[Reason] = []
    with shown() as progress:
        with _no_failure("Statements could not be counted."):
            for change in more_statements(project, request, slower, progress):
                cost = RequestCost(change.operation, "statements", change.before, change.after)
                reasons.append(Reason(change.words, [cost]))
        with _no_failure("The CPU of both sides could not be compared."):
            for pair in slower_pairs(project, request, list(slower)):
                found = write_profile(project, request, decision.candidate.comparison_id, pair, progress)
                reasons += [] if found is None else [found]
    return reasons


@contextlib.contextmanager
def _no_failure(words: str) -> Iterator[None]:
    """A reason that cannot be found fails no gate."""
    try:
        yield
    except BakeoffError as error:
        say(f"{words} {error.message}")


def judge_stored(candidate: str, baseline: str | None, rules: Rules, command: str) -> Decision:
    """Compares two references; measures again for `command` where the rules want a failure confirmed."""
    project = find_project()
    with stored_history() as server:
        judged, judged_by = resolve_asked(project, server, candidate), None
        refuse_without_basis(judged, has_baseline=baseline is not None, has_goals=bool(rules.goals))
        if baseline is not None:
            judged_by = resolve(project, server, baseline, judged.runs)

    def measure(names: Sequence[str]) -> Measurement:
        say(f"Measuring again: {', '.join(names)}.")
        return measurement_of(_measured(project, _request_to_repeat(judged, names, command)).runs)

    return Decision(decide(judged, judged_by, rules, measure), judged, judged_by)


def time_of_first_look(spend: str, *, rerun: bool) -> str:
    """The part of the time that is spent before the gate first decides: the other half repeats what is not clear."""
    seconds = duration(2 if rerun else 1).read(spend)
    return f"{seconds / 2 if rerun else seconds:g}s"


def rules_in_time(rules: Rules, given: Mapping[str, Json], first_look_s: float) -> Rules:
    """The rules without a rerun where the first look took so much of the time for both that a second one does not fit.

    It decides alone then, by the limits of a gate without a rerun. The time depends on no figure, so that stays a test.
    """
    if not rules.rerun or "for" not in given:
        return rules
    both_s = 2 * duration(1).read(given["for"])
    return replace(rules, rerun=first_look_s <= both_s * _SHARE_OF_FIRST_LOOK)


def measure_against(mode: str, given: Mapping[str, Json]) -> str:
    """Measures both sides in a mode, with options of `run` by their flags, and gives the comparison's name."""
    from bakeoff.cli.run.request import RunOptions, request_of

    project = find_project()
    request = request_of(project, RunOptions(mode, "", given))
    if request.spend_s is None:
        refuse_too_few_rounds(request.rounds)
    # As a command of run, which repeats the measurement: a command of gate marks a rerun.
    lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    words = [f"--{name}={value}" for name, values in lists.items() for value in values]
    comparison = _measured(project, replace(request, command=shlex.join([COMMAND, "run", mode, *words])))
    if comparison.id is None or comparison.unstored:
        raise BakeoffError("What was measured could not be stored, so there is nothing to check.")
    return f"c{comparison.id}"


def _request_to_repeat(candidate: Referenced, targets: Sequence[str], command: str) -> ComparisonRequest:
    request = request_of(candidate.requested)
    if request is None:
        raise BakeoffError(
            f"{candidate.name} has no stored request, so it cannot be repeated to confirm the failure. Measure again "
            f"with {COMMAND} run, or check the stored runs only, with --no-rerun."
        )
    return replace(request, targets=tuple(targets), command=command)


def _measured(project: Project, request: ComparisonRequest) -> Comparison:
    from bakeoff.comparing.comparison import compare

    with shown() as progress:
        comparison = compare(project, request, progress)
    if comparison.interrupted:
        raise KeyboardInterrupt
    return comparison


def print_gate(decision: Decision, *, as_json: bool) -> None:
    """Prints the checks of a gate, its decision in a sentence, and the reasons."""
    gate, reasons = decision.gate, decision.reasons_in_words
    if as_json:
        print_json(
            {
                "failed": bool(gate.failed),
                "verdict": verdict_of(gate),
                "sentence": sentence_of(gate),
                "reasons": reasons,
                "would_find": would_find(gate),
                "checks": [asdict(check) for check in gate.checks],
                "left_out": gate.left_out,
            }
        )
        return
    # There are many phases: only those that did not pass are shown. Operations are few, and each is shown.
    listed = [check for check in gate.checks if not check.series.phase or check.outcome is not Outcome.PASSED]
    for label in dict.fromkeys(check.series.label for check in listed):
        typer.echo(label)
        for check in listed:
            if check.series.label == label:
                typer.echo(_line(check))
    for reason in gate.left_out:
        say(f"left out: {reason}")
    for line in (sentence_of(gate), *reasons, would_find(gate), caution_of(decision.candidate)):
        if line:
            typer.echo(line)
    if gate.stale_baseline:
        say(f"This machine was slower than for the baseline. Measure both commits now: {COMMAND} gate --against REF.")
    if not gate.compared and not gate.nothing_before:
        say("Nothing could be compared. Measure the same targets, mode, payload and load as the baseline.")


def _line(check: Check) -> str:
    word = typer.style(f"{check.outcome:7}", fg=_COLOURS[check.outcome])
    return f"  {word}  {check.metric:10}  {check.words}"
