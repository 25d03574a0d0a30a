"""Proofs that a contender brings to its runs: of conformance, and of durability after a crash."""

from dataclasses import dataclass


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
            f"After a crash of PostgreSQL under load {self.lost:,} of {self.acknowledged:,} acknowledged operations "
            f"were lost, and {self.wrong:,} stored wrongly."
        )


@dataclass(frozen=True)
class Proof:
    """When the cases passed and which profile that proved, or the problem: why the target must not be measured.

    `durability` is None where no crash was tried.
    """

    proved_at: str = ""
    cases: int = 0
    profile: str = ""
    problem: str | None = None
    durability: DurabilityProof | None = None
