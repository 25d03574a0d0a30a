"""Did a measurement find its machine worse than its baseline did? Pure functions."""

from collections.abc import Sequence
from statistics import median

from bakeoff.results.finding_kinds import NOISY_MACHINE, THROTTLED
from bakeoff.results.machine_state import MachineState

_SLOWER = THROTTLED.limits[0]
_OTHERS_PERCENT, _STOLEN_PERCENT = NOISY_MACHINE.limits


def what_became_worse(baseline: Sequence[MachineState], candidate: Sequence[MachineState]) -> str | None:
    """In what the medians of the runs' conditions are worse than the baseline's; None: in nothing that is known."""
    words = []
    before, after = _medians(baseline, candidate, "speed_mb_s")
    if before and after is not None and 1 - after / before > _SLOWER:
        words.append(f"a core was {1 - after / before:.0%} slower")
    taken = (
        ("the hypervisor", "steal_percent", _STOLEN_PERCENT),
        ("other processes", "other_cpu_percent", _OTHERS_PERCENT),
    )
    for name, figure, limit in taken:
        before, after = _medians(baseline, candidate, figure)
        if before is not None and after is not None and after - before > limit:
            words.append(f"{name} used {after - before:.0f}% more of a core")
    return " and ".join(words) or None


def _medians(
    baseline: Sequence[MachineState], candidate: Sequence[MachineState], figure: str
) -> tuple[float | None, float | None]:
    before, after = (
        [value for each in side if (value := getattr(each, figure)) is not None] for side in (baseline, candidate)
    )
    return median(before) if before else None, median(after) if after else None
