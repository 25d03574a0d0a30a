"""How much two measurements of the same thing differ by chance. Pure functions."""

import math
from collections.abc import Sequence
from statistics import fmean

from bakeoff.judging.estimates import student_half_width


def noise_floor(samples: Sequence[Sequence[float]], rounds: tuple[int, int]) -> float | None:
    """How far apart chance sets two means of so many rounds (95%): the logarithm of their ratio.

    It comes from the spread between rounds. `samples` holds for each series and each of both sides the values of its
    rounds; their spreads are pooled. None where nothing was measured twice.
    """
    logs = [[math.log(value) for value in values if value > 0] for values in samples]
    several = [values for values in logs if len(values) >= 2]
    degrees = sum(len(values) - 1 for values in several)
    if degrees == 0:
        return None
    squares = sum((value - fmean(values)) ** 2 for values in several for value in values)
    deviation = math.sqrt(squares / degrees) * math.sqrt(1 / rounds[0] + 1 / rounds[1])
    return student_half_width(deviation, degrees)
