"""References to runs: `42`, `c7`, `latest`, a JSON file, or a git reference."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError
from bakeoff.git import git
from bakeoff.history.phases import Measurement, measurement_of_stored
from bakeoff.history.run_figures import RunFigures, Series, read_figures
from bakeoff.postgres.server import Server
from bakeoff.project import COMMAND, Project
from bakeoff.storage.stored_runs import StoredComparison, StoredRun, load_comparison, load_runs

REFERENCE_HELP = "a run (42), a comparison (c7), latest, a JSON file of runs export, or a git reference"

_LATEST = "SELECT id FROM comparisons WHERE NOT confirmation ORDER BY started_at DESC, id DESC LIMIT 1"


@dataclass(frozen=True)
class Requested:
    """A comparison's request as it is stored, empty where it was imported, and what was not measured.

    `not_measured` maps contenders, or targets with all of theirs, to the reason; `refused` are those among them that
    could have been measured. `status` is the comparison's.
    """

    document: Mapping[str, Json]
    status: str
    not_measured: Mapping[str, str]
    refused: frozenset[str]

    def why_not(self, contender: str, target: str) -> str:
        """Why a contender was not measured, as well as that is known."""
        reason = self.not_measured.get(contender) or self.not_measured.get(target)
        if reason is not None:
            return reason
        return "no reason was recorded" if self.status == "completed" else f"the comparison is {self.status}"


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


# Neither smoke and count-bound runs, which are not ranked, nor reruns, which are of what failed alone, nor what was
# measured of files that differed from the commit's. A run that failed at once does not know its commit.
_OF_COMMIT = """
SELECT comparisons.id
FROM comparisons
JOIN test_runs AS run ON run.comparison_id = comparisons.id AND run.test_mode = comparisons.test_mode
WHERE comparisons.id IN (SELECT comparison_id FROM test_runs WHERE environment ->> 'commit' = %(commit)s)
  AND NOT comparisons.confirmation
  AND comparisons.test_mode NOT IN ('smoke', 'count')
  AND comparisons.request ->> 'against' IS NULL
GROUP BY comparisons.id
HAVING bool_or(run.status = 'completed')
   AND bool_and(run.environment ->> 'commit' = %(commit)s)
   AND NOT bool_or(coalesce(run.environment ->> 'uncommitted_changes' = 'true', false))
ORDER BY comparisons.started_at DESC, comparisons.id DESC
LIMIT 100
"""
_HELD = """
SELECT figures.* FROM run_figures AS figures
JOIN comparisons ON comparisons.id = figures.comparison_id AND comparisons.test_mode = figures.mode
WHERE comparisons.id = ANY(%s) AND figures.status = 'completed'
"""


def commit_of(project: Project, reference: str) -> str | None:
    """The full name of a git reference's commit, or None where it names none."""
    command = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    try:
        done = git(project.root, *command)
    except OSError as error:
        raise BakeoffError(f'"{reference}" looks like a git reference, and git cannot be run: {error}.') from error
    return done.stdout.strip() if done.returncode == 0 else None


def comparison_at(server: Server, commit: str, like: Sequence[RunFigures]) -> int | None:
    """The newest comparison of a commit that holds the most of what the runs `like` measured, on the same machine."""
    with server.connect() as connection:
        newest_first: list[int] = [found for (found,) in connection.execute(_OF_COMMIT, {"commit": commit}).fetchall()]
    wanted = _measured(like)
    if not wanted or len(newest_first) < 2:
        return newest_first[0] if newest_first else None
    held = _held(server, newest_first)
    # The first of equals.
    return max(newest_first, key=lambda each: len(wanted & held[each]))


def _held(server: Server, comparison_ids: Sequence[int]) -> dict[int, set[tuple[str, Series]]]:
    runs = read_figures(server, _HELD, [list(comparison_ids)])
    return {each: _measured([run for run in runs if run.comparison_id == each]) for each in comparison_ids}


def _measured(runs: Sequence[RunFigures]) -> set[tuple[str, Series]]:
    return {(run.machine, run.series) for run in runs if run.status == "completed"}
