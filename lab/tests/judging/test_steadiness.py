from collections.abc import Sequence

import pytest

from bakeoff.judging.steadiness import steepest_trend
from made_up import seconds_of

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
    found = steepest_trend(seconds_of(operations))
    assert (None if found is None else found.change) == (None if change is None else pytest.approx(change, abs=1e-3))


def test_each_phase_is_looked_at_alone_and_the_steepest_is_told() -> None:
    timeline = [*seconds_of(FLAT, 1), *seconds_of([5000 + 100 * s for s in range(12)], 2), *seconds_of(FLAT[::-1], 3)]
    found = steepest_trend(timeline)
    assert found is not None
    assert found.phase == 2
