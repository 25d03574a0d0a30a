from collections.abc import Sequence

import numpy as np
import pytest

from bakeoff.judging.steadiness import common_trend, trends_of
from simulated_machines import seconds_of_a_window

FLAT = [1000, 990, 1010, 995, 1005, 1000, 990, 1010, 1000, 1000]


@pytest.mark.parametrize(
    ("operations", "change"),
    [
        ([], None),
        (FLAT, None),
        ([0] * 20, None),
        # Too short.
        ([100, 200, 300, 400, 500, 600], None),
        # A rise of a tenth at most is none.
        ([1000 + 10 * second for second in range(10)], None),
        # Noise as wide as this is no trend, though a line through it rises.
        ([500, 1500, 600, 1400, 700, 1300, 500, 1700, 600, 1500, 800, 1600], None),
        ([2000 - 100 * second for second in range(11)], -0.6207),
        ([1000 + 50 * second for second in range(11)], 0.3529),
        # Only the first second is slow: users were still beginning.
        ([100, *FLAT], None),
    ],
)
def test_a_trend(operations: Sequence[int], change: float | None) -> None:
    (found,) = trends_of([operations])
    assert (None if found is None else found.change) == (None if change is None else pytest.approx(change, abs=1e-3))


@pytest.mark.parametrize("seconds", [10, 20, 120])
def test_noise_that_remembers_three_seconds_is_no_trend(seconds: int) -> None:
    random = np.random.default_rng(seconds)
    windows = [seconds_of_a_window(random, 0.05, 3.0, seconds=seconds) for _ in range(1000)]
    assert sum(found is not None for window in windows for found in trends_of([window])) <= 60
    assert sum(common_trend(windows[at : at + 5]) is not None for at in range(0, 1000, 5)) <= 15


def test_what_rises_a_little_in_each_window_is_a_trend_and_what_rises_and_falls_is_none() -> None:
    random = np.random.default_rng(5)
    rising = [seconds_of_a_window(random, 0.02, 0.0, rise=0.08) for _ in range(5)]
    both_ways = [seconds_of_a_window(random, 0.02, 0.0, rise=0.08 * (-1) ** at) for at in range(6)]
    assert common_trend(rising) is not None
    assert common_trend(both_ways) is None
    assert trends_of(rising) == [None] * 5
