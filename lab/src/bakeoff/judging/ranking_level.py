"""The level that a contender is ranked by: its best that keeps the thresholds, chosen without favour. Pure functions.

The best of several levels is the best by merit and by luck; the figures that chose it flatter it, and more so the
noisier they are. So each round is judged at the level that the other rounds choose (cross-fitting). The level that is
shown is one for all rounds: the lowest load of those that the rounds cannot separate from the best.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median, median_low

from bakeoff.judging.estimates import FEWEST_ROUNDS, ratio_of
from bakeoff.judging.levels import Slot
from bakeoff.judging.slo import Figures, Slo, broken
from bakeoff.results.run import Measured

Rounds = Mapping[int, Measured]

_ALPHA = 0.05
# However noisy the rounds are, a load that reached less than this of the best is not shown in its place.
_LEAST_SHARE = 0.95


@dataclass(frozen=True)
class RankingLevel:
    """The level shown, and the throughput that is compared, by round: each at the level that the other rounds chose."""

    slot: Slot
    by_round: Mapping[int, float]


def ranking_level(slots: Mapping[Slot, Rounds], slo: Slo) -> RankingLevel | None:
    """None where no level keeps the objectives."""
    shown = _best(slots, slo)
    if shown is None:
        return None
    numbers = sorted({number for rounds in slots.values() for number in rounds})
    rates: dict[int, float] = {}
    for number in numbers:
        others = {
            slot: {other: part for other, part in rounds.items() if other != number}
            for slot, rounds in slots.items()
            if number in rounds
        }
        chosen = _best({slot: rounds for slot, rounds in others.items() if rounds}, slo)
        # A single round has no others to choose by.
        at = chosen if chosen is not None else shown
        if number in slots[at]:
            rates[number] = slots[at][number].throughput_per_s
    return RankingLevel(_lowest_as_good(slots, shown, slo), rates)


def _lowest_as_good(slots: Mapping[Slot, Rounds], best: Slot, slo: Slo) -> Slot:
    """The lowest load whose throughput the rounds cannot separate from the best: there latency is no queue."""
    alike = (slot for slot in slots if (slot[3] is None) == (best[3] is None))
    keeping = (slot for slot in alike if not broken(slo, figures_over(slots[slot])))
    return min((slot for slot in keeping if _is_as_good(slots[slot], slots[best])), key=_load, default=best)


def _is_as_good(rounds: Rounds, best: Rounds) -> bool:
    """Compared round by round; of too few rounds in common only the best itself."""
    if rounds is best:
        return True
    pairs = [
        (part.throughput_per_s, best[number].throughput_per_s) for number, part in rounds.items() if number in best
    ]
    logs = [math.log(one / other) for one, other in pairs if one > 0 and other > 0]
    if len(logs) < FEWEST_ROUNDS:
        return False
    found = ratio_of(logs)
    return found.ratio.median >= _LEAST_SHARE and (found.p_value is None or found.p_value >= _ALPHA)


def _load(slot: Slot) -> tuple[float, int]:
    _, _, users, rate = slot
    return rate or 0.0, users


def _best(slots: Mapping[Slot, Rounds], slo: Slo) -> Slot | None:
    """The slot of the best median throughput of those that keep the objectives; of equals the first."""
    keeping = {slot: rounds for slot, rounds in slots.items() if not broken(slo, figures_over(rounds))}
    medians = {slot: median(part.throughput_per_s for part in rounds.values()) for slot, rounds in keeping.items()}
    return max(medians, key=medians.__getitem__, default=None)


def figures_over(rounds: Rounds) -> Figures:
    """The median round's latencies, and errors of all rounds together."""
    parts = list(rounds.values())
    names = parts[0].latency.percentiles_ms.keys()
    latencies = {name: median_low(part.latency.percentiles_ms[name] for part in parts) for name in names}
    latencies["max"] = median_low(part.latency.max_ms for part in parts)
    scheduled = sum(part.requests + part.unsent for part in parts)
    missed = sum(part.failed + part.unsent for part in parts)
    return Figures(latencies, missed / scheduled if scheduled else 1.0)
