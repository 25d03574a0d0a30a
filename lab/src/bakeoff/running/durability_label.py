"""The durability of a run's writes: the checks of the run, and the proof by a crash of its contender."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bakeoff.errors import BakeoffError
from bakeoff.postgres.durability import WalFlushes, Written, flush_problem, problems_of, wal_flushes
from bakeoff.postgres.server import Server
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.database_activity import DatabaseActivity
from bakeoff.results.findings import Finding
from bakeoff.results.run import Durability
from bakeoff.running.contender import DurabilityProof
from bakeoff.targets.storage import DECLARED, POSTGRESQL, StorageKind


@dataclass(frozen=True)
class DurabilityFacts:
    """Flushes before and after a run, None where they are not counted, and problems of settings and relations.

    `problems` is None where the server could not be asked.
    """

    before: WalFlushes | None = None
    after: WalFlushes | None = None
    problems: Sequence[str] | None = None


def durability_facts(server: Server, before: WalFlushes | None, elsewhere: Path | None = None) -> DurabilityFacts:
    """To be asked for once the target has ended. `elsewhere` is a query for other servers."""
    try:
        return DurabilityFacts(before, wal_flushes(server), problems_of(server, elsewhere))
    except (BakeoffError, psycopg.Error):
        return DurabilityFacts(before)


def judged(
    facts: DurabilityFacts | None,
    activity: DatabaseActivity | None,
    proof: DurabilityProof | None,
    storage: StorageKind = POSTGRESQL,
) -> tuple[Durability, list[Finding]]:
    """The label of a run, and an error where it promises storage that would not last.

    `facts` is None where no database took part; `proof` is None where no crash was tried.
    """
    if facts is None:
        return Durability.DECLARED if storage in DECLARED else Durability.NONE_PROMISED, []
    if facts.problems is None:
        return Durability.UNKNOWN, []
    problems = [*([] if proof is None or proof.holds else [str(proof)]), *facts.problems]
    if facts.before is not None and facts.after is not None and activity is not None:
        rows = sum(each or 0 for each in (activity.rows_inserted, activity.rows_updated, activity.rows_deleted))
        written = Written(activity.commits or 0, rows, activity.connections_peak or 1)
        unflushed = flush_problem(facts.before, facts.after, written)
        problems += [] if unflushed is None else [unflushed]
    if problems:
        return Durability.NOT_DURABLE, [kinds.NOT_DURABLE(problems=" ".join(problems))]
    return Durability.DECLARED if proof is None else Durability.PROVEN, []
