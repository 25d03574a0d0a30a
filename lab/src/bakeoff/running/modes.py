"""The modes: named lists of phases, as documented."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bakeoff.errors import UsageError


@dataclass(frozen=True)
class Phase:
    """One load level: virtual users held for a duration, or a number of iterations."""

    name: str
    virtual_users: int
    duration_s: float | None = None
    iterations: int | None = None

    def planned(self) -> Mapping[str, Any]:
        """The phase as a plan holds it."""
        entry: dict[str, Any] = {"name": self.name, "virtual_users": self.virtual_users}
        if self.iterations is not None:
            return {**entry, "iterations": self.iterations}
        assert self.duration_s is not None
        return {**entry, "duration_ms": max(1, round(self.duration_s * 1000))}


SMOKE = (Phase("Smoke", 1, iterations=5),)

MODES: Mapping[str, Sequence[Phase]] = {
    "smoke": SMOKE,
    "quick": (Phase("Baseline", 10, 10), Phase("Mid-load", 50, 10), Phase("High-load", 200, 10)),
    "full": (
        Phase("Baseline", 10, 120),
        Phase("Mid-load", 50, 120),
        Phase("High-load", 100, 120),
        Phase("Higher-load", 200, 300),
    ),
    "saturation": (
        Phase("Baseline", 10, 120),
        Phase("Mid-load", 50, 120),
        Phase("High-load", 100, 120),
        Phase("Very high", 200, 120),
        Phase("Extreme", 500, 120),
        Phase("Maximum", 1000, 120),
        Phase("Saturation", 2000, 120),
    ),
}


def phases_of(mode: str, phase_duration_s: float | None = None) -> list[Phase]:
    """The phases of a mode. A duration given replaces that of the shortest phases and scales the others alike."""
    if mode not in MODES:
        raise UsageError(f'There is no mode "{mode}". Modes: {", ".join(MODES)}.')
    phases = MODES[mode]
    if phase_duration_s is None or phases[0].duration_s is None:
        return list(phases)
    shortest = min(phase.duration_s for phase in phases if phase.duration_s is not None)
    return [
        Phase(phase.name, phase.virtual_users, (phase.duration_s or 0) * phase_duration_s / shortest, phase.iterations)
        for phase in phases
    ]


def phases_with(users: Sequence[int], like: Sequence[Phase]) -> list[Phase]:
    """Phases of these numbers of virtual users, each as long as the shortest of `like`."""
    duration_s = min((phase.duration_s for phase in like if phase.duration_s is not None), default=None)
    if duration_s is None:
        raise UsageError("--users needs a mode whose phases have a duration: quick, full or saturation.")
    return [Phase(f"{count:,} users", count, duration_s) for count in users]


def planned_seconds(phases: Sequence[Phase]) -> float:
    """How long the phases take, iterations not counted."""
    return sum(phase.duration_s or 0 for phase in phases)
