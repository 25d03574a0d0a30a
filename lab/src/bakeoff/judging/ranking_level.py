"""The level that a contender is ranked by: its best that keeps the thresholds, chosen without favour. Pure functions.

The best of several levels is the best by merit and by luck; the figures that chose it flatter it, and more so the
noisier they are. So each round is judged at the level that the other rounds choose (cross-fitting). The level that is
shown is one for all rounds, chosen in the same way by all of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from bakeoff.judging.levels import Slot
from bakeoff.judging.slo import Slo, broken, figures_over
from bakeoff.results.run import Measured

Rounds = Mapping[int, Measured]


@dataclass(frozen=True)
class RankingLevel:
    """The level shown, and by round the level that the other rounds chose, with the throughput that is compared."""

    slot: Slot
    chosen: Mapping[int, Slot]
    by_round: Mapping[int, float]


def ranking_level(slots: Mapping[Slot, Rounds], slo: Slo) -> RankingLevel | None:
    """None where no level keeps the objectives."""
    shown = _best(slots, slo)
    if shown is None:
        return None
    numbers = sorted({number for rounds in slots.values() for number in rounds})
    levels: dict[int, Slot] = {}
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
            levels[number] = at
    return RankingLevel(shown, levels, {number: slots[at][number].throughput_per_s for number, at in levels.items()})


def _best(slots: Mapping[Slot, Rounds], slo: Slo) -> Slot | None:
    """The slot of the best median throughput of those that keep the objectives; of equals the first."""
    keeping = {slot: rounds for slot, rounds in slots.items() if not broken(slo, figures_over([*rounds.values()]))}
    medians = {slot: median(part.throughput_per_s for part in rounds.values()) for slot, rounds in keeping.items()}
    return max(medians, key=medians.__getitem__, default=None)
