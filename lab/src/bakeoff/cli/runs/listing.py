"""`bakeoff runs list`, `show` and `summary`."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bakeoff.cli.completion import complete_mode, complete_target
from bakeoff.cli.output import print_json, say
from bakeoff.cli.shared_options import Json, Where
from bakeoff.cli.stored_history import EMPTY, stored_history
from bakeoff.errors import UsageError
from bakeoff.project import COMMAND, find_project
from bakeoff.text.hints import nearest
from bakeoff.text.table import show as show_parts

if TYPE_CHECKING:
    from bakeoff.history.listing import RunFilter
    from bakeoff.postgres.server import Server

# With the name that the original scripts gave it.
_Target = Annotated[
    str | None, typer.Option("--target", "--api", help="Only runs of this target.", autocompletion=complete_target)
]
_Mode = Annotated[
    str | None,
    typer.Option(
        help="Only runs of this mode: smoke, quick, full, saturation, sustained, rate, equal or count.",
        autocompletion=complete_mode,
    ),
]
_Payload = Annotated[str | None, typer.Option(help="Only runs of this message size: default, 4k, 8k, 32k, 64k.")]


def list_(
    target: _Target = None,
    mode: _Mode = None,
    payload: _Payload = None,
    where: Where = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of runs, newest first.")] = 20,
    before: Annotated[int | None, typer.Option(min=1, help="Only runs older than this run (for paging).")] = None,
    json: Json = False,
) -> None:
    """List stored runs, newest first."""
    from bakeoff.history.listing import RunFilter, labelled_targets, list_runs
    from bakeoff.history.run_tables import runs_table

    with stored_history() as server:
        wanted = RunFilter(target, mode, payload, labelled_targets(server, where) if where else None)
        page = list_runs(server, wanted, limit, before)
        hint = "" if page.runs else why_none(server, wanted)
    if json:
        print_json({"runs": [asdict(run) for run in page.runs], "more": page.more})
    elif page.runs:
        show_parts(runs_table(page.runs))
        if page.more:
            say(f"There are older ones: --before {page.runs[-1].id}, or a larger --limit.")
    else:
        say(hint)


def show(
    run: Annotated[str, typer.Argument(help="A run (42), or a comparison (c7 or latest) for each of its runs.")],
    json: Json = False,
) -> None:
    """Show a run: load levels, cost, bottleneck and findings."""
    from bakeoff.history.exporting import json_export
    from bakeoff.history.run_references import resolve
    from bakeoff.reporting.run_table import run_details
    from bakeoff.storage.stored_runs import load_runs

    if re.fullmatch(r"c?\d{1,18}|latest", run) is None:
        raise UsageError(f'"{run}" is neither a run (42) nor a comparison (c7 or latest).')
    project = find_project()
    with stored_history() as server:
        ids = [int(run)] if run.isdecimal() else [each.id for each in resolve(project, server, run).runs]
        if json:
            typer.echo(json_export(project, server, ids), nl=False)
            return
        runs = load_runs(server, ids)
    for each in runs:
        show_parts(*run_details(each.result))


def summary(
    comparison: Annotated[
        bool, typer.Option("--comparison", help="Show the latest run of each target, highest throughput first.")
    ] = False,
    mode: _Mode = None,
    payload: _Payload = None,
    json: Json = False,
) -> None:
    """Summarise the contents of the metrics database."""
    if comparison:
        _show_latest(mode, payload, json)
    elif mode is not None or payload is not None:
        raise UsageError("--mode and --payload belong to runs summary --comparison: add it, or leave them out.")
    else:
        _show_overview(json)


def _show_overview(as_json: bool) -> None:
    from bakeoff.history.overview import overview
    from bakeoff.history.run_tables import overview_parts

    with stored_history() as server:
        found = overview(server)
    if as_json:
        print_json(asdict(found))
    elif found.all.runs:
        show_parts(*overview_parts(found))
    else:
        say(EMPTY)


def _show_latest(mode: str | None, payload: str | None, as_json: bool) -> None:
    from bakeoff.history.listing import RunFilter
    from bakeoff.history.overview import latest_of_each_target
    from bakeoff.history.run_tables import latest_tables

    with stored_history() as server:
        latest = latest_of_each_target(server, mode, payload)
        hint = "" if latest else why_none(server, RunFilter(None, mode, payload))
    if as_json:
        print_json({"runs": [asdict(run) for run in latest]})
    elif latest:
        show_parts(*latest_tables(latest))
        if len({run.comparison_id for run in latest}) > 1:
            say(f"Not measured together: to rank targets, measure them in one comparison with {COMMAND} run.")
    else:
        say(hint)


def why_none(server: "Server", wanted: "RunFilter") -> str:
    """The reason why a list is empty. Raises UsageError for a target of which no run is stored."""
    from bakeoff.history.listing import known_targets

    known = known_targets(server)
    if not known:
        return EMPTY
    if wanted.target is not None:
        refuse_unknown(wanted.target, known)
    options = {"--target": wanted.target, "--mode": wanted.mode, "--payload": wanted.payload}
    given = " ".join(f"{option} {value}" for option, value in options.items() if value is not None)
    return f"No run matches {given}. {COMMAND} runs summary shows which there are." if given else "No older run."


def refuse_unknown(target: str, known: Sequence[str]) -> None:
    """Raises UsageError for a target of which no run is stored."""
    if target not in known:
        words = f"There are runs of {', '.join(known) or 'none'}.{nearest(target, known)}"
        raise UsageError(f'No run of --target "{target}" is stored. {words}')
