"""The commands of `bakeoff runs`: query `bakeoff.history`, then print tables or JSON."""

import contextlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import typer

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.history import run_tables
from bakeoff.history.listing import RunFilter, known_targets
from bakeoff.postgres.databases import metrics_database
from bakeoff.project import Project, find_project
from bakeoff.storage.metrics_store import MetricsStore
from bakeoff.text.table import Table, show

_EMPTY = "Nothing is stored yet: start with ./bakeoff run smoke."


@contextlib.contextmanager
def stored_history(project: Project) -> Iterator[MetricsStore]:
    """The metrics database, its schema up to date."""
    with metrics_database(project) as server:
        store = MetricsStore(server)
        store.migrate()
        yield store


def print_json(value: object) -> None:
    """One JSON document on standard output, and nothing else."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=_plain))


def list_runs(wanted: RunFilter, limit: int, before: int | None, as_json: bool) -> None:
    """`runs list`."""
    from bakeoff.history.listing import list_runs

    with stored_history(find_project()) as store:
        page = list_runs(store.server, wanted, limit, before)
        hint = "" if page.runs else why_none(store, wanted)
    if as_json:
        print_json({"runs": [asdict(run) for run in page.runs], "more": page.more})
    elif page.runs:
        show(run_tables.runs_table(page.runs))
        if page.more:
            say(f"There are older ones: --before {page.runs[-1].id}, or a larger --limit.")
    else:
        say(hint)


def show_run(reference: str, as_json: bool) -> None:
    """`runs show`: one run, or each run of a comparison."""
    from bakeoff.storage.stored_runs import load_runs

    if re.fullmatch(r"c?\d{1,18}|latest", reference) is None:
        raise UsageError(f'"{reference}" is neither a run (42) nor a comparison (c7 or latest).')
    project = find_project()
    with stored_history(project) as store:
        ids = _run_ids(project, store, reference)
        if as_json:
            from bakeoff.history.exporting import json_export

            typer.echo(json_export(project, store.server, ids), nl=False)
            return
        runs = load_runs(store.server, ids)
    from bakeoff.reporting.run_table import run_details

    for run in runs:
        show(*run_details(run.result))


def _run_ids(project: Project, store: MetricsStore, reference: str) -> list[int]:
    from bakeoff.history.run_references import resolve

    if reference.isdecimal():
        return [int(reference)]
    return [run.id for run in resolve(project, store.server, reference).runs]


def export_runs(reference: str, file: Path | None, kind: str, force: bool) -> None:
    """`runs export`."""
    from bakeoff.history.exporting import csv_export, json_export
    from bakeoff.history.run_references import resolve

    if kind not in ("json", "csv"):
        raise UsageError(f'--format is "{kind}": use json or csv.')
    if file is not None and file.exists() and not force:
        raise UsageError(f"{file} is there already. Name another file, or add --force to replace it.")
    project = find_project()
    with stored_history(project) as store:
        found = resolve(project, store.server, reference)
        ids = [run.id for run in found.runs if run.id]
        if not ids:
            raise UsageError(f"{reference} is a file; runs export writes what is stored. Name a run or a comparison.")
        text = json_export(project, store.server, ids) if kind == "json" else csv_export(store.server, ids)
    if file is None:
        typer.echo(text, nl=False)
        return
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise BakeoffError(f"{file} cannot be written: {error.strerror}.") from error
    say(f"{len(ids)} {'run' if len(ids) == 1 else 'runs'} written to {file}.")


def import_runs(files: Sequence[Path], as_json: bool) -> None:
    """`runs import`. Exit status 1 when a file could not be read; the others are stored all the same."""
    from bakeoff.history.importing import import_files
    from bakeoff.results.result_files import result_files

    project = find_project()
    with stored_history(project) as store:
        result = import_files(project, store.server, files or result_files(project.results))
    if as_json:
        stored = [{"file": str(path), "run": run_id} for path, run_id in result.stored]
        print_json({"stored": stored, "present": result.present, "problems": result.problems})
    else:
        typer.echo(f"{len(result.stored):,} runs stored, {result.present:,} were there already.")
    for problem in result.problems:
        say(f"left out: {problem}")
    if result.problems:
        raise typer.Exit(1)


def compare_runs(references: Sequence[str], allow_changed_workload: bool, as_json: bool) -> None:
    """`runs compare`."""
    from bakeoff.history.changed_workload import changed_in_words, refuse_changed, refuse_several
    from bakeoff.history.comparing import side_by_side
    from bakeoff.history.judged import judgements_of
    from bakeoff.history.run_references import resolve
    from bakeoff.reporting.verdict_text import judgement_table

    if len(references) < 2:
        raise UsageError("runs compare needs two or more: ./bakeoff runs compare 41 42, or c6 c7.")
    project = find_project()
    with stored_history(project) as store:
        found = [resolve(project, store.server, reference) for reference in references]
        runs = [run for reference in found for run in reference.runs]
        if all(len(reference.runs) == 1 for reference in found):
            refuse_several(runs)
        changed = refuse_changed(runs, allowed=allow_changed_workload)
        judged = judgements_of(store.server, found)
    compared = side_by_side(found)
    if not compared:
        raise BakeoffError(
            f"{' and '.join(reference.name for reference in found)} measured nothing alike: no contender, mode, "
            "payload, load and settings in common. Compare single runs by their ids instead."
        )
    if as_json:
        from bakeoff.reporting.json_document import plain_json

        compared_json = [asdict(each) for each in compared]
        print_json({"compared": compared_json, "changed_workloads": changed, "judgements": plain_json(judged)})
    else:
        if changed:
            typer.echo(f"{changed_in_words(changed)}\n")
        parts: list[Table | str] = [run_tables.comparison_of_references(each) for each in compared]
        for name, judgement in judged.items():
            parts += [f"{name}: {judgement.verdict}", judgement_table(judgement)]
        show(*parts)
        if any(column.runs == 1 for each in compared for column in each.columns):
            say("A single run cannot show small differences: ./bakeoff run --rounds 5 separates them from noise.")


def summarise(mode: str | None, payload: str | None, as_json: bool) -> None:
    """`runs summary`."""
    from bakeoff.history.overview import overview

    if mode is not None or payload is not None:
        raise UsageError("--mode and --payload belong to runs summary --comparison: add it, or leave them out.")
    with stored_history(find_project()) as store:
        found = overview(store.server)
    if as_json:
        print_json(asdict(found))
    elif found.all.runs:
        show(*run_tables.overview_parts(found))
    else:
        say(_EMPTY)


def compare_latest(mode: str | None, payload: str | None, as_json: bool) -> None:
    """`runs summary --comparison`."""
    from bakeoff.history.overview import latest_of_each_target

    with stored_history(find_project()) as store:
        latest = latest_of_each_target(store.server, mode, payload)
        hint = "" if latest else why_none(store, RunFilter(None, mode, payload))
    if as_json:
        print_json({"runs": [asdict(run) for run in latest]})
    elif latest:
        show(*run_tables.latest_tables(latest))
        if len({run.comparison_id for run in latest}) > 1:
            say("Not measured together: to rank targets, measure them in one comparison with ./bakeoff run.")
    else:
        say(hint)


@dataclass(frozen=True)
class CleanupOptions:
    """The command line of `runs cleanup` as it was typed."""

    days: float | None
    keep: int | None
    target: str | None
    files: bool
    execute: bool
    as_json: bool


def clean_up_runs(options: CleanupOptions) -> None:
    """`runs cleanup`."""
    from bakeoff.cli.run_output_files import files_of, size_of
    from bakeoff.history.cleanup import clean_up

    if options.days is None and options.keep is None:
        raise UsageError("runs cleanup needs a rule: --days 30, --keep 100, or both.")
    project = find_project()
    with stored_history(project) as store:
        known = known_targets(store.server)
        if options.target is not None and options.target not in known:
            raise UsageError(f'No run of "{options.target}" is stored. There are runs of {", ".join(known) or "none"}.')
        targets = clean_up(store.server, options.days, options.keep, options.execute, options.target)
    removed = sum(target.removed for target in targets)
    files = files_of(project, {each.target: each.file_stems for each in targets}) if options.files else []
    megabytes = size_of(files) / 1e6
    if options.execute:
        for file in files:
            file.unlink(missing_ok=True)
    if options.as_json:
        rows = [{name: value for name, value in asdict(each).items() if name != "file_stems"} for each in targets]
        names = [project.relative(file) for file in files]
        print_json({"executed": options.execute, "removed": removed, "targets": rows, "files": names})
        return
    if targets:
        show(run_tables.cleanup_table(targets, options.execute))
    words = f"{removed:,} runs" + (f" and {len(files):,} files ({megabytes:,.1f} MB)" if options.files else "")
    if not options.execute:
        say(f"Dry run: nothing was changed. --execute removes {words}.")
    else:
        say(f"{words} removed." + ("" if options.files else " Their files remain in results/; --files removes them."))


def why_none(store: MetricsStore, wanted: RunFilter) -> str:
    """The reason why a list is empty."""
    known = known_targets(store.server)
    if not known:
        return _EMPTY
    if wanted.target is not None and wanted.target not in known:
        return f'No run of --target "{wanted.target}" is stored. There are runs of {", ".join(known)}.'
    options = {"--target": wanted.target, "--mode": wanted.mode, "--payload": wanted.payload}
    given = " ".join(f"{option} {value}" for option, value in options.items() if value is not None)
    return f"No run matches {given}. ./bakeoff runs summary shows which there are." if given else "No older run."


def say(words: str) -> None:
    """Prints a message on standard error, so that pipes get the result alone."""
    print(words, file=sys.stderr)


def _plain(value: Any) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
