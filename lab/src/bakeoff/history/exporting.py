"""Stored runs as JSON, which `runs import` and `gate` read, or as CSV for spreadsheets."""

import csv
import io
from collections.abc import Sequence

from bakeoff.history.run_csv import HEADINGS, rows_of
from bakeoff.judging.usage_at_peak import described_bottleneck
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.document import VERSION, Origin, document_of, text_of
from bakeoff.storage.stored_runs import load_runs


def json_export(project: Project, server: Server, run_ids: Sequence[int]) -> str:
    """One run's document, or a list of several: everything that is stored of them."""
    runs = load_runs(server, run_ids)
    origins = _origins(server, {run.comparison_id for run in runs})
    documents = [
        document_of(run.result, project, described_bottleneck(run.result), origins[run.comparison_id]) for run in runs
    ]
    return text_of(documents[0] if len(documents) == 1 else {"version": VERSION, "runs": documents})


def csv_export(server: Server, run_ids: Sequence[int]) -> str:
    """A row for each phase of each run and each of its operations, and for all phases together (phase 0).

    PostgreSQL activity, the machine's conditions and the bottleneck are of the whole run, and stand in that row only.
    """
    text = io.StringIO()
    rows = csv.DictWriter(text, HEADINGS, lineterminator="\n")
    rows.writeheader()
    for run in load_runs(server, run_ids):
        rows.writerows(rows_of(run))
    return text.getvalue()


def _origins(server: Server, comparison_ids: set[int]) -> dict[int, Origin]:
    with server.connect() as connection:
        rows = connection.execute(
            "SELECT id, started_at, name, workload, test_mode, command, rounds, scale"
            " FROM comparisons WHERE id = ANY(%s)",
            [list(comparison_ids)],
        ).fetchall()
    return {comparison_id: Origin(*rest) for comparison_id, *rest in rows}
