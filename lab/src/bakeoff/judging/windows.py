"""Whether the windows of a contender can carry a rank: long enough to test, and without a trend. Pure functions.

A trend is bias, so a round that has one is compared with no other. Scatter is noise: it is in the rounds' own scatter,
which widens intervals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judging.estimates import FEWEST_ROUNDS
from bakeoff.judging.steadiness import CHANCE, common_trend, trends_of
from bakeoff.results.finding_kinds import INDICATIVE
from bakeoff.results.mode_names import UNRANKED
from bakeoff.results.run import RunResult
from bakeoff.text.prose import rounds_in_words

# Less time shows neither steadiness nor a percentile.
(_SHORTEST_S,) = INDICATIVE.limits


@dataclass(frozen=True)
class Windows:
    """The relative change of throughput in each round that has a trend, and why the contender has no rank, if so.

    Each reason goes on after the contender's name.
    """

    biased: Mapping[int, float]
    unranked: Sequence[str]


ALL_WELL = Windows({}, ())


def windows_of(counted: Mapping[int, RunResult], phases: Mapping[int, int | None]) -> Windows:
    """Of runs by round; `phases` is the number of the phase that is compared in each of them."""
    if are_counted(counted):
        return Windows({}, ("had phases that end after a number of requests, however long that takes",))
    known = [
        each.measured.planned_s
        for number, phase in phases.items()
        for each in counted[number].phases
        if each.number == phase
    ]
    if not known:
        return ALL_WELL
    biased, unsteady = _trends(counted, phases)
    reasons = [each for each in (unsteady, _cold(counted)) if each]
    if min(known) < _SHORTEST_S:
        reasons.insert(0, f"had levels of {min(known):.3g} s; {_SHORTEST_S:.0f} s are needed")
    return Windows(biased, reasons)


def are_counted(counted: Mapping[int, RunResult]) -> bool:
    """Whether phases ended after a number of requests: the faster a contender is, the shorter it is measured."""
    return any(run.mode in UNRANKED for run in counted.values())


def _cold(counted: Mapping[int, RunResult]) -> str:
    """Why runs that were measured before the target was warm cost the rank, if there are any."""
    warmed = [run.warm_up for run in counted.values() if run.warm_up is not None]
    short = [each for each in warmed if each.is_short]
    if not short:
        return ""
    least = min(short, key=lambda each: each.loaded_s)
    return f"was warmed up for {least.loaded_s:.0f} s of the {least.stated_s:.0f} s that it states"


def _trends(counted: Mapping[int, RunResult], phases: Mapping[int, int | None]) -> tuple[Mapping[int, float], str]:
    """The rounds with a trend, and why these cost the rank, if they do: too few are left, or all go one way."""
    windows = {
        number: [second.operations for second in counted[number].timeline if second.phase == phase]
        for number, phase in phases.items()
    }
    # Two occasions on which noise may cost a rank, which divide its probability.
    trends = zip(windows, trends_of(list(windows.values()), CHANCE / 2), strict=True)
    biased = {number: trend.change for number, trend in trends if trend is not None}
    if len(windows) - len(biased) < min(FEWEST_ROUNDS, len(windows)):
        return biased, f"was not steady in {rounds_in_words(sorted(biased))}"
    rest = [window for number, window in windows.items() if number not in biased]
    common = common_trend(rest, CHANCE / 2) if len(rest) > 1 else None
    if common is None:
        return biased, ""
    return dict.fromkeys(windows, common.change) | biased, f"{common.words} within its windows"
