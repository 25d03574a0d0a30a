"""Bars from a baseline to the greatest value."""

import pytest

from bakeoff.text.sparkline import sparkline


@pytest.mark.parametrize(
    ("values", "baseline", "line"),
    [
        ([], 0.0, ""),
        ([0.0, 0.0], 0.0, "▁▁"),
        ([5.0, 5.0], 0.0, "██"),
        ([5.0, 5.0], 5.0, "▁▁"),
        ([0.0, 1.0, 7.0], 0.0, "▁▂█"),
        ([1.0, 2.0, 3.0], 0.0, "▃▆█"),
        ([1.0, 2.0, 3.0], 1.0, "▁▅█"),
        ([-3.0, 7.0], 0.0, "▁█"),
    ],
)
def test_bars_are_as_high_as_their_values_above_the_baseline(values: list[float], baseline: float, line: str) -> None:
    assert sparkline(values, baseline=baseline) == line


def test_a_long_series_is_shortened_to_medians() -> None:
    assert sparkline([0.0, 0.0, 0.0, 7.0, 7.0, 0.0], baseline=0, longest=2) == "▁█"
