import json
from dataclasses import replace
from typing import Any

import pytest

from as_json import as_json
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.engines.stream import Record
from bakeoff.project import FORMATS
from bakeoff.results.warm_up_record import Settled, WarmUp
from bakeoff.running.findings import warm_up_findings
from bakeoff.running.modes import SMOKE, phases_of, rate_phases
from bakeoff.running.phase_plan import PlannedStep, Settling, steps_of
from bakeoff.running.summary import settled_in
from bakeoff.running.warm_up import (
    is_steady,
    settle_cap_s,
    steady_after,
    warm_up_cap_s,
)
from made_up_records import engine_second, phase_end

VECTORS = json.loads((FORMATS / "vectors" / "steady.json").read_text())


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
    ("mode", "duration_s", "asked_s", "seconds"),
    [
        ("quick", None, None, 30),
        ("full", None, None, 60),
        # Short phases leave a slow target time to warm up, and those between set the cap.
        ("quick", 3.0, None, 10),
        ("quick", 15.0, None, 45),
        ("full", None, 5.0, 5),
        ("full", None, 0.0, 0),
        ("smoke", None, None, 0),
        ("smoke", None, 5.0, 0),
    ],
)
def test_cap(mode: str, duration_s: float | None, asked_s: float | None, seconds: float) -> None:
    assert warm_up_cap_s(phases_of(mode, duration_s), asked_s) == seconds


@pytest.mark.parametrize(
    ("duration_s", "asked_s", "warm_up_s", "seconds"),
    [
        (None, None, 10, 10),
        # Phases of a second are indicative, and settle for no longer than they last.
        (1.0, None, 10, 1.0),
        (20.0, None, 20, 20),
        (None, None, 0, 0),
        (None, 0.5, 10, 0.5),
        (None, 0.0, 10, 0.0),
    ],
)
def test_later_levels_have_a_cap_too(
    duration_s: float | None, asked_s: float | None, warm_up_s: float, seconds: float
) -> None:
    assert settle_cap_s(phases_of("quick", duration_s), asked_s, warm_up_s) == seconds
    assert settle_cap_s(SMOKE, asked_s, warm_up_s) == 0


SECOND_NS = 1_000_000_000
CLIMB = [1000, 2000, 3000, 5000, 7000, 9000]
RULE = {"window_s": 3, "tolerance": 0.05}


def steps(order: list[int], settling: Settling) -> list[PlannedStep]:
    return steps_of(phases_of("quick"), order, settling, can_end_when_steady=True)


def test_each_level_settles_at_its_own_load_in_the_order_of_the_round() -> None:
    planned = [as_json(step.planned()) for step in steps([2, 0, 1], Settling(10, 4))]
    loads = [(each["name"], each["virtual_users"], each["duration_ms"]) for each in planned]
    assert loads == [
        ("Warm-up", 200, 10_000), ("High-load", 200, 10_000),
        ("Settling", 10, 4_000), ("Baseline", 10, 10_000),
        ("Settling", 50, 4_000), ("Mid-load", 50, 10_000),
    ]  # fmt: skip
    assert [each.get("until_steady") for each in planned] == [RULE, None] * 3


def test_a_target_that_states_its_warm_up_is_driven_for_so_long_although_it_is_steady_sooner() -> None:
    planned = [as_json(step.planned()) for step in steps([0, 1, 2], Settling(30, 4).before(75))]
    assert [(each["duration_ms"], each.get("until_steady")) for each in planned[:4]] == [
        (75_000, None), (10_000, None), (4_000, RULE), (10_000, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settling", "expected"),
    [
        (Settling(60, 4), Settling(60, 4, holds=True)),
        (Settling(300, 4, reports_start=True), Settling(45, 4, reports_start=True, holds=True)),
        # What the user asks for is what happens, and smoke does not settle.
        (Settling(15, 4, is_asked=True), Settling(15, 4, is_asked=True)),
        (Settling(0, 0), Settling(0, 0)),
    ],
)
def test_what_settles_for_the_stated_time(settling: Settling, expected: Settling) -> None:
    assert settling.before(45) == expected
    assert settling.before(0) == settling


def test_without_settling_levels_follow_one_another() -> None:
    assert [step.phase.name for step in steps([], Settling())] == ["Baseline", "Mid-load", "High-load"]
    assert [step.planned() for step in steps_of(SMOKE, [0], Settling(), can_end_when_steady=True)] == [
        SMOKE[0].planned()
    ]


def test_an_open_phase_settles_at_its_rate() -> None:
    (settles, _) = steps_of(rate_phases([500], "poisson", [8], None), [], Settling(2), can_end_when_steady=False)
    assert as_json(settles.planned()) == {
        "name": "Warm-up",
        "rate": 500,
        "arrival": "poisson",
        "max_virtual_users": 8,
        "duration_ms": 2000,
    }


def test_until_steady_reports_the_start_and_lets_the_first_level_settle_for_minutes() -> None:
    asked = ComparisonRequest("quick", "", until_steady=True)
    assert asked.settling == Settling(300, 10, reports_start=True)
    # Without a warm-up there is nothing to wait for.
    assert replace(asked, warm_up_s=0.0).settling == Settling(0, 0, is_asked=True)
    assert replace(asked, until_steady=False).settling == Settling(30, 10)
    assert asked.settling.once == Settling(300, 0)


def test_the_first_half_minute_is_reported_apart() -> None:
    planned = steps([], Settling(300, 0, reports_start=True))
    assert [(step.phase.name, step.phase.duration_s) for step in planned[:3]] == [
        ("Cold start", 30), ("Warm-up", 300), ("Baseline", 10),
    ]  # fmt: skip
    climb = [50 * n for n in range(1, 31)]
    seconds: list[Record] = [engine_second(n, phase=0, operations=count) for n, count in enumerate(climb)]
    seconds += [engine_second(n, phase=1, operations=3000) for n in range(6)]
    ends: list[Record] = [
        phase_end(phase=0, duration_ns=30 * SECOND_NS, planned_ns=30 * SECOND_NS, operations=sum(climb) + 10,
                  operations_late=10),
        phase_end(phase=1, duration_ns=6 * SECOND_NS, operations=18_000, steady_after_s=6),
    ]  # fmt: skip
    record = settled_in([*seconds, *ends], planned)
    assert record is not None and record.cold_start is not None
    assert (record.cold_start.duration_s, record.cold_start.throughput_per_s) == (30.0, sum(climb) / 30)
    # From the first request of the process, not from the end of the cold start.
    assert (record.steady, record.steady_after_s) == (True, 36)


@pytest.mark.parametrize(
    ("reported", "operations", "steady", "steady_after_s"),
    [
        # An engine that ends the phase by the rule has the last word: here replies straggled after its end.
        ({"steady_after_s": 6}, [1000] * 6 + [3], True, 6),
        ({"steady_after_s": None}, CLIMB, False, None),
        ({}, [1000] * 8, True, 6),
        ({}, CLIMB, False, None),
        # Too short.
        ({"steady_after_s": None}, [5], None, None),
        ({}, [5], None, None),
    ],
)
def test_record(
    reported: dict[str, Any], operations: list[int], steady: bool | None, steady_after_s: int | None
) -> None:
    ended = phase_end(duration_ns=len(operations) * SECOND_NS, **reported)
    seconds = [engine_second(number, operations=count) for number, count in enumerate(operations)]
    record = settled_in([*seconds, ended], steps([], Settling(10)))
    assert record is not None
    assert (record.steady, record.steady_after_s, record.duration_s) == (steady, steady_after_s, len(operations))
    kinds = [finding.kind for finding in warm_up_findings(record)]
    assert kinds == (["not-steady"] if steady is False else [])


def test_a_later_level_that_did_not_settle_is_named() -> None:
    record = WarmUp(steady=True, phase=3, later=[Settled(1, steady=False), Settled(2, steady=True)])
    (found,) = warm_up_findings(record)
    assert "At phase 1 throughput" in found.message
    both = replace(record, later=[Settled(2, steady=False), Settled(1, steady=False)])
    assert "At phase 1 and phase 2 throughput" in warm_up_findings(both)[0].message


def test_how_long_a_target_was_driven_is_said_where_it_states_that() -> None:
    (found,) = warm_up_findings(WarmUp(duration_s=75.2, steady=True, stated_s=75))
    assert (found.kind, "Under load for 75 s" in found.message) == ("stated-warm-up", True)
    # Shorter by --warm-up, and smoke, which does not settle.
    assert warm_up_findings(WarmUp(duration_s=15, steady=True, stated_s=75)) == []
    assert warm_up_findings(WarmUp(stated_s=75)) == []
    both = warm_up_findings(WarmUp(duration_s=75.2, steady=False, stated_s=75))
    assert [each.kind for each in both] == ["stated-warm-up", "not-steady"]


def test_without_a_warm_up_nothing_is_found() -> None:
    assert warm_up_findings(None) == []
