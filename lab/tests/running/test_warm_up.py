import json
from typing import Any

import pytest

from as_json import as_json
from bakeoff.project import find_project
from bakeoff.running.findings import warm_up_findings
from bakeoff.running.modes import SMOKE, phases_of, rate_phases
from bakeoff.running.warm_up import (
    is_steady,
    judged,
    planned_until_steady,
    steady_after,
    warm_up_cap_s,
    warm_up_phase,
)
from made_up_records import phase_end

VECTORS = json.loads((find_project().contract / "vectors" / "steady.json").read_text())


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_the_rule_is_the_contract_s(case: dict[str, Any]) -> None:
    assert is_steady(case["operations"], case["window_s"], case["tolerance"]) is case["steady"]


@pytest.mark.parametrize(
    ("operations", "seconds"),
    [
        ([], None),
        ([1000] * 5, None),
        ([1000] * 6, 6),
        # Steady from the sixth second on, and so it stayed.
        ([1000] * 9, 6),
        ([20_000, 40_000, 80_000, 99_000, 100_000, 101_000, 100_000, 99_000, 100_000], 9),
        # The latest seconds count: what came later than a calm begin was another throughput.
        ([1000, 1020, 1010, 5000, 9000, 15_000], None),
        ([100_000] * 9 + [80_000], None),
        ([100_000] * 6 + [80_000] * 6, 12),
    ],
)
def test_steady_after(operations: list[int], seconds: int | None) -> None:
    assert steady_after(operations) == seconds


@pytest.mark.parametrize(
    ("mode", "duration_s", "asked_s", "extended", "seconds"),
    [
        ("quick", None, None, False, 10),
        ("full", None, None, False, 30),
        # Short phases leave a slow target time to warm up, and those between set the cap.
        ("quick", 3.0, None, False, 10),
        ("quick", 20.0, None, False, 20),
        ("quick", 3.0, None, True, 20),
        ("full", None, 5.0, False, 5),
        ("full", None, 5.0, True, 10),
        ("full", None, 0.0, True, 0),
        ("smoke", None, None, False, 0),
        ("smoke", None, 5.0, False, 0),
    ],
)
def test_cap(mode: str, duration_s: float | None, asked_s: float | None, extended: bool, seconds: float) -> None:
    assert warm_up_cap_s(phases_of(mode, duration_s), asked_s, extended) == seconds


def test_smoke_is_not_warmed_up() -> None:
    assert warm_up_cap_s(SMOKE, None) == 0


def test_it_has_the_load_of_the_first_phase() -> None:
    assert as_json(warm_up_phase(phases_of("quick")[0], 2).planned()) == {
        "name": "Warm-up",
        "virtual_users": 10,
        "duration_ms": 2000,
    }
    open_phase = rate_phases([500], "poisson", [8], None)[0]
    assert as_json(warm_up_phase(open_phase, 2).planned()) == {
        "name": "Warm-up",
        "rate": 500,
        "arrival": "poisson",
        "max_virtual_users": 8,
        "duration_ms": 2000,
    }


def test_a_plan_carries_the_rule() -> None:
    planned = planned_until_steady(warm_up_phase(phases_of("quick")[0], 2))
    assert as_json(planned) == {
        "name": "Warm-up",
        "virtual_users": 10,
        "duration_ms": 2000,
        "until_steady": {"window_s": 3, "tolerance": 0.05},
    }


CLIMB = [1000, 2000, 3000, 5000, 7000, 9000]


@pytest.mark.parametrize(
    ("told", "operations", "steady", "steady_after_s"),
    [
        # An engine that ends the warm-up by the rule has the last word: here replies straggled after its end.
        ({"steady_after_s": 6}, [1000] * 6 + [3], True, 6),
        ({"steady_after_s": None}, CLIMB, False, None),
        ({}, [1000] * 8, True, 6),
        ({}, CLIMB, False, None),
        # Too short to tell.
        ({"steady_after_s": None}, [5], None, None),
        ({}, [5], None, None),
    ],
)
def test_record(told: dict[str, Any], operations: list[int], steady: bool | None, steady_after_s: int | None) -> None:
    record = judged(10, phase_end(duration_ns=6_001_400_000, **told), operations)
    assert (record.steady, record.steady_after_s) == (steady, steady_after_s)
    assert (record.duration_s, record.cap_s) == (6.001, 10)
    kinds = [finding.kind for finding in warm_up_findings(record)]
    assert kinds == (["not-steady"] if steady is False else [])


def test_without_a_warm_up_nothing_is_found() -> None:
    assert warm_up_findings(None) == []
