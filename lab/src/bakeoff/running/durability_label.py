"""The durability of a run's writes: the checks of the run, and the proof by a crash of its contender."""

from dataclasses import dataclass
from pathlib import Path

import psycopg

from bakeoff.errors import BakeoffError
from bakeoff.postgres.durability import WalFlushes, Written, flush_problem, problems_of, wal_flushes
from bakeoff.postgres.server import Server
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.findings import Finding
from bakeoff.results.run import Durability
from bakeoff.running.proof import DurabilityProof
from bakeoff.sampling.activity import DatabaseActivity


@dataclass(frozen=True)
class DurabilityCheck:
    """A server's flushes when the run began; None where they are not counted. `elsewhere` asks other servers."""

    server: Server
    before: WalFlushes | None
    elsewhere: Path | None = None

    def problems(self, activity: DatabaseActivity | None) -> list[str]:
        """Why acknowledged writes might not survive a crash; to be called once the target has ended."""
        problems = problems_of(self.server, self.elsewhere)
        after = wal_flushes(self.server)
        if self.before is None or after is None or activity is None:
            return problems
        rows = sum(each or 0 for each in (activity.rows_inserted, activity.rows_updated, activity.rows_deleted))
        written = Written(activity.commits or 0, rows, activity.connections_peak or 1)
        flushes = flush_problem(self.before, after, written)
        return problems if flushes is None else [*problems, flushes]


def begun(server: Server, elsewhere: Path | None = None) -> DurabilityCheck:
    """The check of a run that begins now."""
    return DurabilityCheck(server, wal_flushes(server), elsewhere)


def judged(
    check: DurabilityCheck | None, activity: DatabaseActivity | None, proof: DurabilityProof | None
) -> tuple[Durability, list[Finding]]:
    """The label of a run, and an error where it promises storage that would not last.

    `check` is None for a workload without a database; `proof` is what a crash showed, None where there was none.
    """
    if check is None:
        return Durability.NONE_PROMISED, []
    try:
        problems = check.problems(activity)
    except (BakeoffError, psycopg.Error):
        return Durability.UNKNOWN, []
    if proof is not None and not proof.holds:
        problems = [str(proof), *problems]
    if problems:
        return Durability.NOT_DURABLE, [kinds.NOT_DURABLE(problems=" ".join(problems))]
    return Durability.DECLARED if proof is None else Durability.PROVEN, []
