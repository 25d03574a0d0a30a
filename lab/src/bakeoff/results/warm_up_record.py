"""The record of how throughput settled before each level of a run was measured."""

from collections.abc import Sequence
from dataclasses import dataclass, field

# Phases may end a little before their time.
_TOLERANCE_S = 1.0


@dataclass(frozen=True)
class Settled:
    """How long one level settled of the `cap_s` that it might have, and whether throughput was `steady` at its end.

    `phase` is the level's number. `steady` is None where it was too short, `steady_after_s` where throughput
    never was.
    """

    phase: int = 1
    duration_s: float = 0.0
    cap_s: float = 0.0
    steady: bool | None = None
    steady_after_s: int | None = None
    operations_per_s: Sequence[int] = field(default_factory=list)


@dataclass(frozen=True)
class ColdStart:
    """The first seconds of a process under load, measured by themselves."""

    duration_s: float = 0.0
    operations: int = 0
    throughput_per_s: float = 0.0
    p50_ms: float | None = None
    p99_ms: float | None = None
    operations_per_s: Sequence[int] = field(default_factory=list)


@dataclass(frozen=True)
class WarmUp(Settled):
    """How the first level settled, by `rule`; `later` are the other levels, in the order in which they were measured.

    `cold_start` came before it where that was asked for; `steady_after_s` then counts from the first request.
    `stated_s` is how long the target states that it warms up, 0 where it does not.
    """

    rule: str = ""
    later: Sequence[Settled] = field(default_factory=list)
    cold_start: ColdStart | None = None
    stated_s: float = 0.0

    @property
    def loaded_s(self) -> float:
        """How long the target was under load before its first level was measured."""
        return self.duration_s + (0.0 if self.cold_start is None else self.cold_start.duration_s)

    @property
    def is_short(self) -> bool:
        """Whether the target had less time than it states."""
        return self.loaded_s < self.stated_s - _TOLERANCE_S

    @property
    def levels(self) -> Sequence[Settled]:
        """Every level that settled, the first one included."""
        return (self, *self.later)
