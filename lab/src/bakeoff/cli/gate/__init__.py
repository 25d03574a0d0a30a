"""`bakeoff gate`: its options; the work is imported when the command is called."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from bakeoff.cli.completion import complete_mode, complete_target
from bakeoff.cli.grouped_help import HelpAll
from bakeoff.cli.output import typed_command
from bakeoff.cli.shared_options import AllowChangedWorkload, Json
from bakeoff.errors import BakeoffError
from bakeoff.options.table import HelpGroup

_ROUNDS = 5

HELP_GROUPS = {
    "Comparison": HelpGroup(("against", "baseline"), ("candidate", "allow-changed-workload")),
    "Measurement, with --against": HelpGroup(
        ("target", "mode", "rounds"), ("in", "for", "users", "phase-duration", "warm-up", "payload")
    ),
    "Decision": HelpGroup(("goals", "latency", "throughput", "errors"), ("rerun", "unclear")),
    "Output": HelpGroup(("comment",), ("github", "title", "junit", "code-quality", "json")),
}


def gate(
    baseline: Annotated[
        str | None,
        typer.Option(help="Baseline: a run (42), a comparison (c7), FILE.json or a git reference."),
    ] = None,
    candidate: Annotated[str, typer.Option(help="Candidate (same syntax as --baseline).")] = "latest",
    goals: Annotated[Path | None, typer.Option(help="TOML file of performance goals; see docs/GUARD_CI.md.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="REF", help="Measure this commit and the working tree, interleaved, and compare them (recommended)."
        ),
    ] = None,
    mode: Annotated[str, typer.Option(help="With --against: mode.", autocompletion=complete_mode)] = "quick",
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "-t", help="With --against: target to measure.", autocompletion=complete_target),
    ] = None,
    rounds: Annotated[int | None, typer.Option(help="With --against: rounds. [5]")] = None,
    spend: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="DURATION",
            help="With --against: time for everything, such as 6m. The gate decides after half of it where it can; "
            "otherwise it measures for the other half.",
        ),
    ] = None,
    users: Annotated[str | None, typer.Option(help="With --against: virtual users of each phase.")] = None,
    phase_duration: Annotated[
        str | None, typer.Option(help="With --against: duration of the shortest phases, such as 10s.")
    ] = None,
    warm_up: Annotated[
        str | None, typer.Option(help="With --against: longest warm-up before the first level, such as 3s.")
    ] = None,
    payload: Annotated[str | None, typer.Option(help="With --against: message size.")] = None,
    in_: Annotated[
        Literal["processes", "docker"] | None,
        typer.Option(
            "--in",
            help="With --against: processes of this machine, or Docker containers: both commits' images are built, and "
            "each side has its own PostgreSQL in a container. [processes]",
        ),
    ] = None,
    p99: Annotated[
        float, typer.Option("--latency", "--p99", min=0, help="Allowed increase of p99, in percent.")
    ] = 20.0,
    throughput: Annotated[
        float, typer.Option(min=0, max=100, help="Allowed decrease of throughput, in percent.")
    ] = 15.0,
    errors: Annotated[float, typer.Option(min=0, max=100, help="Allowed failed requests, in percent.")] = 1.0,
    rerun: Annotated[
        bool, typer.Option("--rerun/--no-rerun", help="Repeat failed measurements before failing.")
    ] = True,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")] = None,
    unclear: Annotated[
        Literal["pass", "fail"] | None,
        typer.Option(help="Let an unclear result pass or fail. [exit status 3]"),
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="In GitHub Actions: annotations, the job's summary and outputs.")
    ] = False,
    comment: Annotated[
        bool, typer.Option("--comment", help="Write or update the comment on the pull request or merge request.")
    ] = False,
    title: Annotated[
        str | None, typer.Option(help="Heading of the comment. Each title has its own comment. [Performance]")
    ] = None,
    code_quality: Annotated[Path | None, typer.Option(help="Write GitLab's code quality report to this file.")] = None,
    allow_changed_workload: AllowChangedWorkload = False,
    json: Json = False,
    help_all: HelpAll = False,  # noqa: ARG001 — its callback shows the help and exits
) -> None:
    """Fail when a measurement is worse than a baseline or a goal. For CI."""
    from bakeoff.cli.gate.judge_stored import judge_against, judge_stored, print_gate, time_of_first_look
    from bakeoff.cli.gate.publish import Destinations, Publication
    from bakeoff.gating.decision import Rules
    from bakeoff.gating.goals import read_goals
    from bakeoff.gating.regressions import Limits
    from bakeoff.project import find_project

    measured_with = {
        "against": against,
        "target": target,
        "rounds": str(rounds or _ROUNDS) if rounds or not spend else None,
        "for": spend and time_of_first_look(spend, rerun=rerun),
        "users": users,
        "phase-duration": phase_duration,
        "warm-up": warm_up,
        "payload": payload,
        "in": in_,
    }
    with _undecided_where_it_fails():
        publication = Publication(find_project(), Destinations(junit, code_quality, github, comment, title))
        with publication.of_failures():
            rules = Rules(
                Limits(p99 / 100, throughput / 100, errors / 100),
                goals=[] if goals is None else read_goals(goals),
                rerun=rerun,
                unclear=unclear,
                allow_changed_workload=allow_changed_workload,
            )
            if against is None:
                decided = judge_stored(candidate, baseline, rules, typed_command())
            else:
                given = {flag: value for flag, value in measured_with.items() if value}
                decided = judge_against(mode, given, baseline, rules, typed_command())
            print_gate(decided, as_json=json)
            publication.decided(decided)
    # 0; 1 when something is worse; 2 when it is undecided; 3 when it is unclear.
    raise typer.Exit(decided.gate.exit_status)


@contextlib.contextmanager
def _undecided_where_it_fails() -> Iterator[None]:
    """Exit status 1 means that something is worse, and nothing else."""
    try:
        yield
    except BakeoffError as error:
        raise BakeoffError(error.message, exit_code=max(2, error.exit_code)) from error
