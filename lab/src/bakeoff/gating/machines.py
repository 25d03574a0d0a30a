"""Did a measurement find its machine worse than its baseline did? Pure functions."""

from collections.abc import Callable, Sequence
from statistics import median

from bakeoff.history.conditions import Conditions

# As much as a run's own findings call throttled, stolen and noisy.
_SLOWER = 0.10
_STOLEN_PERCENT = 2.0
_OTHERS_PERCENT = 10.0


def what_became_worse(baseline: Sequence[Conditions], candidate: Sequence[Conditions]) -> str | None:
    """In what the medians of the runs' conditions are worse than the baseline's; None: in nothing that is known."""
    found = [
        _slower(*_medians(baseline, candidate, lambda each: each.speed_mb_s)),
        _taken("the hypervisor", _STOLEN_PERCENT, *_medians(baseline, candidate, lambda each: each.steal_percent)),
        _taken("other processes", _OTHERS_PERCENT, *_medians(baseline, candidate, lambda each: each.other_cpu_percent)),
    ]
    return " and ".join(words for words in found if words is not None) or None


def _slower(before: float | None, after: float | None) -> str | None:
    slower = 0.0 if not before or after is None else 1 - after / before
    return f"a core was {slower:.0%} slower" if slower > _SLOWER else None


def _taken(who: str, limit: float, before: float | None, after: float | None) -> str | None:
    if before is None or after is None or after - before <= limit:
        return None
    return f"{who} used {after - before:.0f}% more of a core"


def _medians(
    baseline: Sequence[Conditions], candidate: Sequence[Conditions], figure: Callable[[Conditions], float | None]
) -> tuple[float | None, float | None]:
    before, after = ([value for each in side if (value := figure(each)) is not None] for side in (baseline, candidate))
    return median(before) if before else None, median(after) if after else None
