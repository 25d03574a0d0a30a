"""The reuse of keys, where a run differs from the workload."""

from dataclasses import dataclass

from bakeoff.errors import UsageError
from bakeoff.workload.declaration import DeclaredReuse
from bakeoff.workload.plan_records import PlannedReuse

_HIGHEST_EXPONENT = 3.0


@dataclass(frozen=True)
class Reuse:
    """A run's rules of key reuse; None leaves one to the workload.

    `share` of the operations update an existing key. `pick` is `uniform`, or `zipf:THETA` with the oldest hottest.
    `shared` keys belong to all users and are contended; without it each user has its own keys.
    """

    share: float | None = None
    pick: str | None = None
    shared: int | None = None

    def __post_init__(self) -> None:
        if self.share is not None and not 0 <= self.share <= 1:
            raise UsageError(f"The share of updates is {self.share}: use a number from 0 to 1.")
        if self.shared is not None and not 1 <= self.shared <= 1_000_000:
            raise UsageError(f"{self.shared} shared keys are impossible: use 1 to 1000000.")
        if self.pick is not None:
            parse_pick(self.pick)

    @property
    def is_empty(self) -> bool:
        return self == Reuse()

    def applied_to(self, declared: DeclaredReuse | None) -> PlannedReuse | None:
        """The `reuse` of a kind of keys in the plan. A kind that is never used again stays so."""
        if declared is None:
            return None
        share = declared.share if self.share is None else self.share
        pick, exponent = (declared.pick, declared.s) if self.pick is None else parse_pick(self.pick)
        return PlannedReuse(share=share, pick=pick, s=exponent, shared=self.shared)


def parse_pick(text: str) -> tuple[str, float | None]:
    """`uniform` and None, or `zipf` and its exponent, of `zipf:THETA` with 0 < THETA ≤ 3. Raises UsageError."""
    if text == "uniform":
        return "uniform", None
    name, _, exponent = text.partition(":")
    if name == "zipf":
        try:
            theta = float(exponent)
        except ValueError:
            theta = 0.0
        if 0 < theta <= _HIGHEST_EXPONENT:
            return "zipf", theta
    raise UsageError(f'"{text}" is not a key distribution: use uniform, or zipf:THETA like zipf:0.99.')
