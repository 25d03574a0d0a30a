"""References to runs: `42`, `c7`, `latest`, a JSON file, or a git reference."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bakeoff.errors import BakeoffError
from bakeoff.history.comparison_of_commit import commit_of, comparison_at
from bakeoff.history.conditions import stored_conditions
from bakeoff.history.operation_figures import stored_operations
from bakeoff.history.phases import Measurement, measurement_of, stored_phases
from bakeoff.history.requested import Requested, requested_of
from bakeoff.history.run_figures import RunFigures
from bakeoff.postgres.server import Server
from bakeoff.project import Project

REFERENCE_HELP = "a run (42), a comparison (c7), latest, a JSON file of runs export, or a git reference"

# Smoke runs before longer ones only open the door: they belong to no comparison's figures.
_OF_COMPARISON = """
SELECT figures.* FROM run_figures AS figures
JOIN comparisons ON comparisons.id = figures.comparison_id AND comparisons.test_mode = figures.mode
WHERE comparisons.id = %s
ORDER BY figures.started_at, figures.id
"""
_LATEST = "SELECT id FROM comparisons WHERE NOT confirmation ORDER BY started_at DESC, id DESC LIMIT 1"


@dataclass(frozen=True)
class Referenced:
    """The runs that a reference names, with their phases. `comparison_id` is None where it names one run or a file.

    `requested` is the comparison's request.
    """

    name: str
    measurement: Measurement
    comparison_id: int | None = None
    requested: Requested | None = None

    @property
    def runs(self) -> Sequence[RunFigures]:
        return self.measurement.runs


def resolve(project: Project, server: Server, reference: str, like: Sequence[RunFigures] = ()) -> Referenced:
    """The runs that a reference names; one that names nothing is an error that says what there is.

    Of several comparisons at a commit, that is meant which measured the most of what `like` did.
    """
    found = resolve_asked(project, server, reference, like)
    if not found.runs and found.requested is not None:
        reasons = " ".join(found.requested.not_measured.values()) or f"it is {found.requested.status}."
        raise BakeoffError(f"Comparison {found.name} measured nothing: {reasons}")
    return found


def resolve_asked(project: Project, server: Server, reference: str, like: Sequence[RunFigures] = ()) -> Referenced:
    """The same, and a comparison that was requested and measured nothing counts too."""
    if re.fullmatch(r"\d{1,18}", reference):
        return _run(server, int(reference))
    if re.fullmatch(r"c\d{1,18}", reference):
        return _comparison(server, int(reference[1:]), reference)
    if reference == "latest":
        latest = _latest(server)
        return _comparison(server, latest, f"c{latest}")
    if reference.endswith(".json"):
        # With what draws tables, which a list does not wait for.
        from bakeoff.results.result_files import read_result_file

        documents = read_result_file(project, Path(reference))
        return Referenced(reference, measurement_of(document.run for document in documents))
    return _commit(project, server, reference, like)


def _run(server: Server, run_id: int) -> Referenced:
    runs = _figures(server, "SELECT * FROM run_figures WHERE id = %s", [run_id])
    if not runs:
        raise BakeoffError(f"There is no run {run_id}. ./bakeoff runs list shows the stored ones.")
    return Referenced(str(run_id), _measurement(server, runs))


def _comparison(server: Server, comparison_id: int, name: str) -> Referenced:
    requested = requested_of(server, comparison_id)
    if requested is None:
        raise BakeoffError(
            f"There is no comparison c{comparison_id}. ./bakeoff runs list shows the comparison of each run."
        )
    runs = _figures(server, _OF_COMPARISON, [comparison_id])
    return Referenced(name, _measurement(server, runs), comparison_id, requested)


def _commit(project: Project, server: Server, reference: str, like: Sequence[RunFigures]) -> Referenced:
    commit = commit_of(project, reference)
    if commit is None:
        raise BakeoffError(f'"{reference}" is not known here. Use {REFERENCE_HELP}.', exit_code=2)
    found = comparison_at(server, commit, like)
    if found is None:
        raise BakeoffError(
            f"Nothing measured at {reference} (commit {commit[:12]}) is stored; smoke and count-bound runs, reruns "
            "of a gate and runs of a checkout with uncommitted changes do not count. Check it out and measure it, or "
            "import its result files with ./bakeoff runs import."
        )
    return _comparison(server, found, f"{reference} (c{found})")


def _latest(server: Server) -> int:
    with server.connect() as connection:
        row = connection.execute(_LATEST).fetchone()
    if row is None:
        raise BakeoffError("Nothing has been measured yet: start with ./bakeoff run quick.")
    return int(row[0])


def _measurement(server: Server, runs: Sequence[RunFigures]) -> Measurement:
    conditions = stored_conditions(server, runs)
    return Measurement(runs, stored_phases(server, runs), conditions, stored_operations(server, runs))


def _figures(server: Server, statement: str, values: Sequence[Any]) -> list[RunFigures]:
    from psycopg.rows import class_row

    with server.connect() as connection, connection.cursor(row_factory=class_row(RunFigures)) as cursor:
        return cursor.execute(statement.encode(), values).fetchall()
