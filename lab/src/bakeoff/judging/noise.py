"""How much of a difference is chance: the spread of equals, and the variances of rounds. Pure functions."""

import math
from collections.abc import Mapping, Sequence

from bakeoff.judging.estimates import FEWEST_ROUNDS, Spread, student_half_width
from bakeoff.judging.moderation import NONE, Prior, prior_of


def spread_of_aa_pairs(log_ratios: Sequence[float]) -> Spread | None:
    """From the logarithms of ratios, round by round, of contenders against themselves.

    The true ratio is 1, so that what it is off by counts in full, chance and bias of the lab alike.
    """
    if not log_ratios:
        return None
    deviation = math.sqrt(sum(ratio * ratio for ratio in log_ratios) / len(log_ratios))
    return Spread(deviation, len(log_ratios))


def spread_between_rounds(rates: Sequence[Mapping[int, float]]) -> Spread | None:
    """From each contender's throughput over its rounds, all contenders pooled; None where none has two rounds.

    What strikes all contenders of a round alike is taken out, as it is where they are compared round by round. Two
    runs differ by √2 of what one run is off.
    """
    several = _in_several_rounds(rates)
    residuals = [value for each in _residuals_of_each(several) for value in each]
    degrees = _free(several)
    if degrees < 1:
        return None
    return Spread(math.sqrt(2 * sum(value * value for value in residuals) / degrees), degrees)


def prior_between_rounds(rates: Sequence[Mapping[int, float]]) -> Prior:
    """The prior of the variances of all contenders' rounds, without effects on whole rounds."""
    several = _in_several_rounds(rates)
    if len(several) < 2:
        return NONE
    share = (len(several) - 1) / len(several)
    residuals = _residuals_of_each(several)
    degrees = [(len(each) - 1) * share for each in residuals]
    variances = [sum(value * value for value in each) / free for each, free in zip(residuals, degrees, strict=True)]
    # All residuals together, without what a pair's own ratios have already.
    return prior_of(variances, degrees, _free(several) - max(map(len, several)) + 1)


def least_difference(aa_spread: Spread, rounds: int) -> float | None:
    """What the medians of so many rounds must differ by, so that A/A pairs do not: half of their 95% interval."""
    if rounds < FEWEST_ROUNDS:
        return None
    return math.expm1(student_half_width(aa_spread.deviation / math.sqrt(rounds), aa_spread.degrees))


def round_effects(rates: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """By round, the mean logarithm of how far the contenders that ran in every round were off their own means."""
    all_rounds = sorted({number for each in rates for number in each})
    complete = [each for each in rates if len(each) == len(all_rounds) and min(each.values()) > 0]
    if not complete:
        return {}
    centred = [_centred(each) for each in complete]
    return {number: sum(each[number] for each in centred) / len(centred) for number in all_rounds}


def _in_several_rounds(rates: Sequence[Mapping[int, float]]) -> list[Mapping[int, float]]:
    positive = [{number: rate for number, rate in each.items() if rate > 0} for each in rates]
    return [each for each in positive if len(each) >= 2]


def _effects(several: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """One contender alone has no others to show a round's effect: it keeps its whole spread."""
    return round_effects(several) if len(several) > 1 else {}


def _residuals_of_each(several: Sequence[Mapping[int, float]]) -> list[list[float]]:
    """The logarithm of each run without its contender's mean and its round's effect."""
    effects, residuals = _effects(several), []
    for each in several:
        rest = [math.log(rate) - effects.get(number, 0.0) for number, rate in each.items()]
        mean = sum(rest) / len(rest)
        residuals.append([value - mean for value in rest])
    return residuals


def _free(several: Sequence[Mapping[int, float]]) -> int:
    """The degrees of freedom of all residuals together."""
    return sum(len(each) - 1 for each in several) - max(0, len(_effects(several)) - 1)


def _centred(rates: Mapping[int, float]) -> dict[int, float]:
    logs = {number: math.log(rate) for number, rate in rates.items()}
    mean = sum(logs.values()) / len(logs)
    return {number: value - mean for number, value in logs.items()}
