import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.text.ratios import bounds, places_apart, times


@pytest.mark.parametrize(
    ("value", "differs", "words"),
    [
        (1.254, False, "1.25×"),
        (12.34, True, "12.3×"),
        (1234.0, False, "1,234.0×"),
        (1.0004, False, "1.00×"),
        (0.254, True, "0.25×"),
        (0.0754, True, "0.075×"),
        (0.000964, False, "0.00096×"),
        (0.0, False, "0.00×"),
        (1.0004, True, "1.0004×"),
        (0.9996, True, "0.9996×"),
        # Arithmetic alone parts it from 1.
        (1 + 1e-12, True, "1.00×"),
    ],
)
def test_a_ratio(value: float, differs: bool, words: str) -> None:
    assert times(value, differs=differs) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (1.214, 1.301, "1.21–1.30"),
        (1.0, 1.004, "1.00–1.004"),
        (0.9999, 12.3, "0.9999–12.3"),
        (0.000782, 0.1, "0.00078–0.10"),
        (1.8, None, "1.80 or more"),
        (None, 0.9999, "0.9999 or less"),
        (None, None, "not bounded by 3 rounds"),
    ],
)
def test_bounds(low: float | None, high: float | None, words: str) -> None:
    assert bounds(low, high, 3, "–") == words


@given(st.floats(0.5, 1.5), st.floats(0.5, 1.5))
def test_no_digit_is_rounded_off_that_parts_a_bound_from_a_reference(value: float, reference: float) -> None:
    places = places_apart(value, [reference], 2)
    assert places >= 2
    assert abs(value - reference) < 1e-7 or round(value, places) != round(reference, places)
