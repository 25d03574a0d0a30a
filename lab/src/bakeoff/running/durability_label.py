"""The durability of a run's writes: the checks of the run, and the proof by a crash of its contender."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bakeoff.errors import BakeoffError
from bakeoff.postgres.durability import Written, flush_problem, problems_of
from bakeoff.postgres.server import Server
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.findings import Finding
from bakeoff.results.run import Durability
from bakeoff.targets.storage import DECLARED, POSTGRESQL, StorageKind


@dataclass(frozen=True)
class DurabilityProof:
    """How many operations were acknowledged before a crash, and how many of them were lost or wrong afterwards."""

    acknowledged: int
    lost: int
    wrong: int

    @property
    def holds(self) -> bool:
        return self.acknowledged > 0 and self.lost == 0 and self.wrong == 0

    def __str__(self) -> str:
        return (
            f"After a crash of PostgreSQL and the target under load {self.lost:,} of {self.acknowledged:,} "
            f"acknowledged operations were lost, and {self.wrong:,} stored wrongly."
        )


@dataclass(frozen=True)
class DurabilityFacts:
    """Problems of settings and relations; None where the server could not be asked."""

    problems: Sequence[str] | None = None

    def beside(self, problems: Sequence[str]) -> "DurabilityFacts":
        """The facts with problems that were seen before; those are none the less where the server refuses now."""
        known = [*problems, *(self.problems or ())]
        return self if self.problems is None and not known else DurabilityFacts(list(dict.fromkeys(known)))


def durability_facts(server: Server, elsewhere: Path | None = None) -> DurabilityFacts:
    """To be asked for once the target has ended. `elsewhere` is a query for other servers."""
    try:
        return DurabilityFacts(problems_of(server, elsewhere))
    except (BakeoffError, psycopg.Error):
        return DurabilityFacts()


def judged(
    facts: DurabilityFacts | None,
    written: Sequence[Written],
    proof: DurabilityProof | None,
    storage: StorageKind = POSTGRESQL,
) -> tuple[Durability, list[Finding]]:
    """The label of a run, and an error where it promises storage that would not last.

    `facts` is None where no database took part, `proof` where no crash came in this run. `written` is what was written
    between the edges of phases.
    """
    if facts is None:
        return Durability.DECLARED if storage in DECLARED else Durability.NONE_PROMISED, []
    if facts.problems is None:
        return Durability.UNKNOWN, []
    problems = [*([] if proof is None or proof.holds else [str(proof)]), *facts.problems]
    problems += [problem for each in written if (problem := flush_problem(each)) is not None][:1]
    if problems:
        return Durability.NOT_DURABLE, [kinds.NOT_DURABLE(problems=" ".join(problems))]
    return Durability.DECLARED if proof is None else Durability.PROVEN, []
