from typing import Any

import pytest

from bakeoff.running.findings import warm_up_findings
from bakeoff.running.modes import SMOKE, phases_of, rate_phases
from bakeoff.running.warm_up import judged, steady_after, warm_up_phase, warm_up_seconds


@pytest.mark.parametrize(
    ("operations", "seconds"),
    [
        ([], None),
        ([1000, 1000], None),
        ([100_000, 100_000, 100_000], 3),
        ([20_000, 40_000, 80_000, 99_000, 100_000, 101_000], 6),
        # Exactly 5% from the mean is steady, a little more is not.
        ([95_000, 100_000, 105_000], 3),
        ([94_000, 100_000, 106_000], None),
        # A climb that never ends.
        ([10_000, 20_000, 30_000, 40_000, 50_000], None),
        # Few operations vary by chance: 3 × √100 = 30 is no change.
        ([80, 120, 100], 3),
        ([60, 140, 100], None),
        # Nothing answered is not steady, it is down.
        ([0, 0, 0], None),
        ([100_000, 0, 100_000, 100_000, 100_000], 5),
    ],
)
def test_steady(operations: list[int], seconds: int | None) -> None:
    assert steady_after(operations) == seconds


@pytest.mark.parametrize(
    ("mode", "duration_s", "asked_s", "extended", "seconds"),
    [
        ("quick", None, None, False, 10),
        ("full", None, None, False, 30),
        ("quick", 3.0, None, False, 3),
        ("quick", 3.0, None, True, 6),
        ("full", None, 5.0, False, 5),
        ("full", None, 0.0, True, 0),
        ("smoke", None, None, False, 0),
    ],
)
def test_length(mode: str, duration_s: float | None, asked_s: float | None, extended: bool, seconds: float) -> None:
    assert warm_up_seconds(phases_of(mode, duration_s), asked_s, extended) == seconds


def test_smoke_is_not_warmed_up() -> None:
    assert warm_up_seconds(SMOKE, None) == 0


def test_it_has_the_load_of_the_first_phase() -> None:
    assert warm_up_phase(phases_of("quick")[0], 2).planned() == {
        "name": "Warm-up",
        "virtual_users": 10,
        "duration_ms": 2000,
    }
    open_phase = rate_phases([500], "poisson", [8], None)[0]
    assert warm_up_phase(open_phase, 2).planned() == {
        "name": "Warm-up",
        "rate": 500,
        "arrival": "poisson",
        "max_virtual_users": 8,
        "duration_ms": 2000,
    }


@pytest.mark.parametrize(
    ("record", "kinds"),
    [
        (None, []),
        (judged(1, [5]), []),
        (judged(3, [1000, 1000, 1000]), []),
        (judged(3, [1000, 5000, 9000]), ["not-steady"]),
    ],
)
def test_findings(record: dict[str, Any] | None, kinds: list[str]) -> None:
    assert [finding.kind for finding in warm_up_findings(record)] == kinds
