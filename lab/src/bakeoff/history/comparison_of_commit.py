"""Which comparison a commit stands for."""

from collections.abc import Sequence

from bakeoff.errors import BakeoffError
from bakeoff.git import git
from bakeoff.history.run_figures import RunFigures, Series, read_figures
from bakeoff.postgres.server import Server
from bakeoff.project import Project

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
