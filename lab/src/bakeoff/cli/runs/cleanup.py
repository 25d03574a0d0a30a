"""`bakeoff runs cleanup`."""

from dataclasses import asdict
from typing import Annotated

import typer

from bakeoff.cli.completion import complete_target
from bakeoff.cli.output import print_json, say
from bakeoff.cli.runs.listing import refuse_unknown
from bakeoff.cli.shared_options import Json
from bakeoff.cli.stored_history import stored_history
from bakeoff.errors import UsageError
from bakeoff.project import find_project, path_here
from bakeoff.text.table import show

# A century: PostgreSQL could not subtract much more.
_MOST_DAYS = 36_500


def cleanup(
    days: Annotated[
        float | None, typer.Option(min=0, max=_MOST_DAYS, help="Remove runs older than this many days.")
    ] = None,
    keep: Annotated[int | None, typer.Option(min=0, help="Keep this many of the newest runs of each target.")] = None,
    target: Annotated[
        str | None, typer.Option(help="Only runs of this target.", autocompletion=complete_target)
    ] = None,
    files: Annotated[
        bool,
        typer.Option("--files", help="Remove the runs' result files too, and the logs of targets that have none left."),
    ] = False,
    execute: Annotated[
        bool, typer.Option("--execute", help="Remove them; without it, only show what would be removed.")
    ] = False,
    json: Json = False,
) -> None:
    """Remove old runs; a dry run unless --execute is given. With --days and --keep, both must apply."""
    from bakeoff.history.cleanup import clean_up, files_of, size_of
    from bakeoff.history.listing import known_targets
    from bakeoff.history.run_tables import cleanup_table

    if days is None and keep is None:
        raise UsageError("runs cleanup needs a rule: --days 30, --keep 100, or both.")
    project = find_project()
    with stored_history() as server:
        if target is not None:
            refuse_unknown(target, known_targets(server))
        cleaned = clean_up(server, days, keep, execute, target)
    removed = sum(each.removed for each in cleaned)
    found = files_of(project, {each.target: each.file_stems for each in cleaned}) if files else []
    megabytes = size_of(found) / 1e6
    if execute:
        for file in found:
            file.unlink(missing_ok=True)
    if json:
        rows = [{name: value for name, value in asdict(each).items() if name != "file_stems"} for each in cleaned]
        names = [project.relative(file) for file in found]
        print_json({"executed": execute, "removed": removed, "targets": rows, "files": names})
        return
    if cleaned:
        show(cleanup_table(cleaned, execute))
    words = f"{removed:,} runs" + (f" and {len(found):,} files ({megabytes:,.1f} MB)" if files else "")
    if not execute:
        say(f"Dry run: nothing was changed. --execute removes {words}.")
    else:
        rest = "" if files else f" Their files remain in {path_here(project.results)}; --files removes them."
        say(f"{words} removed.{rest}")
