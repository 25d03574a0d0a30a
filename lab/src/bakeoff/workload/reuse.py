"""Which keys are used again, where a run asks for something else than the workload declares."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bakeoff.documents import Document
from bakeoff.errors import UsageError

_HIGHEST_EXPONENT = 3.0


@dataclass(frozen=True)
class Reuse:
    """What a run asks for; None leaves it to the workload.

    `share` of the operations use a key again. `pick` says which: `uniform`, or `zipf:THETA`, the oldest hottest.
    `shared` keys belong to all users, who contend for them; without it each user has keys of its own.
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
        """Whether everything is left to the workload."""
        return self == Reuse()

    def applied_to(self, declared: Document | None) -> Document | None:
        """The `reuse` of a kind of keys in the plan. A kind that is never used again stays so."""
        if declared is None:
            return None
        changed: dict[str, Any] = dict(declared)
        if self.share is not None:
            changed["share"] = self.share
        if self.pick is not None:
            changed = {"share": changed["share"], **parse_pick(self.pick)}
        if self.shared is not None:
            changed["shared"] = self.shared
        return changed


def parse_pick(text: str) -> Mapping[str, Any]:
    """`uniform`, or `zipf:THETA` with 0 < THETA ≤ 3, as members of a plan's `reuse`. Raises UsageError."""
    if text == "uniform":
        return {"pick": "uniform"}
    name, _, exponent = text.partition(":")
    if name == "zipf":
        try:
            theta = float(exponent)
        except ValueError:
            theta = 0.0
        if 0 < theta <= _HIGHEST_EXPONENT:
            return {"pick": "zipf", "s": theta}
    raise UsageError(f'"{text}" is not a key distribution: use uniform, or zipf:THETA like zipf:0.99.')
