"""`bakeoff runs export` and `import`."""

from pathlib import Path
from typing import Annotated

import typer

from bakeoff.cli.output import print_json, say
from bakeoff.cli.shared_options import Json
from bakeoff.cli.stored_history import stored_history
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import find_project


def export(
    run: Annotated[str, typer.Argument(help="A run (42), a comparison (c7), latest or a git reference.")],
    file: Annotated[Path | None, typer.Argument(help="File to write. [standard output]")] = None,
    format: Annotated[str, typer.Option(help="Format: json (everything) or csv (one row per phase).")] = "json",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a stored run, or all runs of a comparison, as JSON or CSV."""
    from bakeoff.history.exporting import csv_export, json_export
    from bakeoff.history.run_references import resolve

    if format not in ("json", "csv"):
        raise UsageError(f'--format is "{format}": use json or csv.')
    if file is not None and file.exists() and not force:
        raise UsageError(f"{file} is there already. Name another file, or add --force to replace it.")
    project = find_project()
    with stored_history() as server:
        ids = [each.id for each in resolve(project, server, run).runs if each.id]
        if not ids:
            raise UsageError(f"{run} is a file; runs export writes what is stored. Name a run or a comparison.")
        text = json_export(project, server, ids) if format == "json" else csv_export(server, ids)
    if file is None:
        typer.echo(text, nl=False)
        return
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise BakeoffError(f"{file} cannot be written: {error.strerror}.") from error
    say(f"{len(ids)} {'run' if len(ids) == 1 else 'runs'} written to {file}.")


def import_(
    file: Annotated[list[Path] | None, typer.Argument(help="Result files, or folders of them. [all here]")] = None,
    json: Json = False,
) -> None:
    """Store result files that the metrics database does not contain."""
    from bakeoff.history.importing import import_files
    from bakeoff.results.result_files import result_files

    project = find_project()
    with stored_history() as server:
        result = import_files(project, server, file or result_files(project.results))
    if json:
        stored = [{"file": str(path), "run": run_id} for path, run_id in result.stored]
        print_json({"stored": stored, "present": result.present, "problems": result.problems})
    else:
        typer.echo(f"{len(result.stored):,} runs stored, {result.present:,} were there already.")
    for problem in result.problems:
        say(f"left out: {problem}")
    if result.problems:
        raise typer.Exit(1)
