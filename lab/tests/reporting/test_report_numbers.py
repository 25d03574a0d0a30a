"""How figures are written."""

from datetime import datetime

import pytest

from bakeoff.reporting import numbers


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "–"),
        (0, "0"),
        (0.00004, "4.0e-05"),
        (0.0004, "0.00040"),
        (0.0994, "0.099"),
        (0.1, "0.100"),
        (0.9949, "0.995"),
        (0.9951, "1.00"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (99.94, "99.9"),
        (99.96, "100"),
        (12_345.6, "12,346"),
    ],
)
def test_three_digits(value: float | None, written: str) -> None:
    assert numbers.three_digits(value) == written


@pytest.mark.parametrize(
    ("share", "written"),
    [(None, "–"), (0, "0%"), (0.00001, "<0.01%"), (0.0007, "0.07%"), (0.021, "2.1%"), (0.1, "10%"), (1.5, "150%")],
)
def test_percent_never_writes_something_as_nothing(share: float | None, written: str) -> None:
    assert numbers.percent(share) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "–"),
        (0.042, "42 ms"),
        (9.46, "9.5 s"),
        (59.97, "1 min"),
        (60, "1 min"),
        (552, "9 min 12 s"),
        (3_900, "1 h 5 min"),
    ],
)
def test_seconds(value: float | None, written: str) -> None:
    assert numbers.seconds(value) == written


@pytest.mark.parametrize(("value", "written"), [(0, "0"), (0.5, "0.500"), (99.96, "100"), (52_875.4, "52,875")])
def test_rate(value: float, written: str) -> None:
    assert numbers.rate(value) == written


def test_moment_is_told_in_utc() -> None:
    assert numbers.moment(datetime.fromisoformat("2026-03-14T10:26:53+01:00")) == "14 March 2026, 09:26 UTC"
