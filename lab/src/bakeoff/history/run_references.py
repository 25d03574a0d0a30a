"""References to runs: `42`, `c7`, `latest`, a JSON file, or a git reference."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.history.comparison_of_commit import commit_of, comparison_at
from bakeoff.history.phases import Measurement, measurement_of_stored
from bakeoff.history.requested import Requested
from bakeoff.history.run_figures import RunFigures
from bakeoff.postgres.server import Server
from bakeoff.project import COMMAND, Project
from bakeoff.storage.stored_runs import StoredComparison, StoredRun, load_comparison, load_runs

REFERENCE_HELP = "a run (42), a comparison (c7), latest, a JSON file of runs export, or a git reference"

_LATEST = "SELECT id FROM comparisons WHERE NOT confirmation ORDER BY started_at DESC, id DESC LIMIT 1"


@dataclass(frozen=True)
class Referenced:
    """The runs that a reference names. `comparison` is None where it names one run or a file."""

    name: str
    stored: Sequence[StoredRun]
    comparison: StoredComparison | None = None

    @property
    def requested(self) -> Requested | None:
        """The comparison's request."""
        own = self.comparison
        return None if own is None else Requested(own.request, own.status, own.not_measured, frozenset(own.refused))

    @property
    def comparison_id(self) -> int | None:
        return None if self.comparison is None else self.comparison.id

    @cached_property
    def measurement(self) -> Measurement:
        return measurement_of_stored(self.stored)

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
        return Referenced(reference, load_runs(server, [int(reference)]))
    if re.fullmatch(r"c\d{1,18}", reference):
        return _comparison(server, int(reference[1:]), reference)
    if reference == "latest":
        latest = _latest(server)
        return _comparison(server, latest, f"c{latest}")
    if reference.endswith(".json"):
        # With what draws tables, which a list does not wait for.
        from bakeoff.results.result_files import read_result_file

        documents = read_result_file(project, Path(reference))
        return Referenced(reference, [StoredRun(0, 0, document.run) for document in documents])
    return _commit(project, server, reference, like)


def _comparison(server: Server, comparison_id: int, name: str) -> Referenced:
    comparison = load_comparison(server, comparison_id)
    return Referenced(name, comparison.runs, comparison)


def _commit(project: Project, server: Server, reference: str, like: Sequence[RunFigures]) -> Referenced:
    commit = commit_of(project, reference)
    if commit is None:
        raise BakeoffError(f'"{reference}" is not known here. Use {REFERENCE_HELP}.', exit_code=2)
    found = comparison_at(server, commit, like)
    if found is None:
        raise BakeoffError(
            f"Nothing measured at {reference} (commit {commit[:12]}) is stored; smoke and count-bound runs, reruns "
            "of a gate and runs of a project with uncommitted changes do not count. Check it out and measure it, or "
            f"import its result files with {COMMAND} runs import."
        )
    return _comparison(server, found, f"{reference} (c{found})")


def _latest(server: Server) -> int:
    with server.connect() as connection:
        row = connection.execute(_LATEST).fetchone()
    if row is None:
        raise BakeoffError(f"Nothing has been measured yet: start with {COMMAND} run quick.")
    return int(row[0])
