"""A level in slices of a second, and the phase that they make."""

import pytest

from bakeoff.engines.stream import EngineSecond, PhaseEnd, PhaseStart, Record
from bakeoff.results.cost import Sample
from bakeoff.running.measured_records import (
    Pauses,
    as_shown,
    counts_without,
    gauge_without,
    is_edge,
    maintained_s,
    measured_records,
    pauses_in,
    samples_without,
)
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import Settling, slices_of, steps_of
from bakeoff.sampling.database_activity import DatabaseCounts, Look, PhaseEdge
from bakeoff.sampling.gauges import GaugeReadings, Reading
from made_up_records import engine_second, phase_end, phase_start

SECOND = 1_000_000_000
LEVEL = Phase("64 users", 64, 3.0)
STEPS = steps_of([LEVEL], [], Settling(2), can_end_when_steady=False, in_slices=True)


@pytest.mark.parametrize(
    ("level", "seconds"),
    [
        (Phase("", 1, 3.0), [1, 1, 1]),
        (Phase("", 1, 2.5), [1, 1.5]),
        (Phase("", 1, 1.9), [1.9]),
        (Phase("", 1, iterations=5), [None]),
    ],
)
def test_a_level_is_divided_into_seconds(level: Phase, seconds: list[float | None]) -> None:
    assert [each.duration_s for each in slices_of(level)] == seconds


def test_slices_are_steps_of_one_level() -> None:
    assert [(step.measures, step.slice, step.phase.duration_s) for step in STEPS] == [
        (False, 0, 2), (True, 0, 1), (True, 1, 1), (True, 2, 1),
    ]  # fmt: skip


def _slice(number: int, began_s: float, operations: int, late: int) -> list[Record]:
    """A slice of a second, with replies that came up to 10 ms after it."""
    phase, began = number + 1, round(began_s * SECOND)
    counted = {"sent": operations + late, "ok": operations + late, "operations": operations + late}
    return [
        phase_start("64 users", 64, phase, began),
        engine_second(0, phase=phase, time_unix_ns=began + SECOND, operations=operations),
        engine_second(1, phase=phase, time_unix_ns=began + SECOND, operations=late),
        phase_end(
            phase=phase, time_unix_ns=began + SECOND, duration_ns=SECOND + 10_000_000, planned_ns=SECOND,
            operations_late=late, **counted,
        ),
    ]  # fmt: skip


# The run settles for two seconds, and waits for one before each slice but the first.
RECORDS: list[Record] = [
    phase_start("Warm-up", 64, 0, 0),
    engine_second(0, phase=0, operations=99),
    phase_end(phase=0, duration_ns=2 * SECOND, operations=99),
    *_slice(0, 3.0, 10, 2),
    *_slice(1, 5.01, 20, 3),
    *_slice(2, 7.02, 30, 4),
]


def test_slices_are_one_phase_again() -> None:
    start, *seconds, end = measured_records(RECORDS, STEPS)
    assert isinstance(start, PhaseStart) and (start.phase, start.time_unix_ns) == (0, 3 * SECOND)
    assert [(each.second, each.operations) for each in seconds if isinstance(each, EngineSecond)] == [
        (0, 12), (1, 23), (2, 30), (3, 4),
    ]  # fmt: skip
    assert isinstance(end, PhaseEnd) and (end.planned_ns, end.duration_ns) == (3 * SECOND, 3_030_000_000)
    assert (end.operations, end.operations_late, end.connections_opened) == (69, 9, 30)
    # The clock of the phase stood still for two pauses of a second.
    assert end.time_unix_ns == round(8.02 * SECOND) - 2 * SECOND


def test_a_longer_level_beside_it_leaves_the_rest_of_a_second_where_it_is() -> None:
    levels = [Phase("short", 1, 2.5), Phase("long", 1, 4.0)]
    steps = steps_of(levels, [], Settling(), can_end_when_steady=False, in_slices=True)
    records: list[Record] = [*_slice(-1, 0.0, 10, 2), *_slice(0, 2.0, 20, 3)]
    seconds = [each for each in measured_records(records, steps) if isinstance(each, EngineSecond)]
    assert [(each.second, each.operations) for each in seconds] == [(0, 12), (1, 20), (2, 3)]


def test_what_an_interruption_left_is_one_phase_too() -> None:
    broken = [*RECORDS[:7], phase_start("64 users", 64, 2, 5 * SECOND), phase_end(phase=2, interrupted=True)]
    *_, end = measured_records(broken, STEPS)
    assert isinstance(end, PhaseEnd) and end.interrupted and end.operations == 12 and end.planned_ns is None


def test_pauses_last_from_slice_to_slice() -> None:
    pauses = pauses_in(RECORDS, STEPS)
    assert pauses.spans == [(4_010_000_000, 5_010_000_000), (6_020_000_000, 7_020_000_000)]
    # What settled before the first slice is no part of it.
    assert pauses.without(3 * SECOND) == 3 * SECOND


def test_the_clock_stands_still_in_pauses() -> None:
    pauses = Pauses([(10, 20), (30, 35)])
    assert [pauses.without(at) for at in (5, 10, 15, 20, 25, 32, 40)] == [5, 10, 10, 10, 15, 20, 25]
    samples = [Sample(at, "target", 0.1 * at, 1) for at in (5, 15, 25)]
    assert [(each.time_unix_ns, each.cpu_s) for each in samples_without(pauses, samples)] == [
        (5, 0.5), (10, 1.5), (15, 2.5),
    ]  # fmt: skip
    readings = GaugeReadings("calls", [Reading(at, float(at)) for at in (5, 15, 25)])
    kept = gauge_without(pauses, readings)
    assert [(each.time_unix_ns, each.value) for each in kept.readings] == [(5, 5.0), (15, 25.0)]


def test_people_see_one_phase() -> None:
    shown = [each for record in RECORDS[3:] if (each := as_shown(record, STEPS)) is not None]
    assert isinstance(shown[0], PhaseStart)
    assert [each.second for each in shown if isinstance(each, EngineSecond)] == [0, 1, 2]
    assert len(shown) == 4
    assert [as_shown(record, STEPS) for record in RECORDS[:3]] == RECORDS[:3]


def test_what_a_database_did_in_a_pause_is_not_of_the_runs_load() -> None:
    second = 1_000_000_000
    pauses = Pauses([(10 * second, 20 * second)])
    looks = [
        Look(5 * second, {"CPU": 4}),
        Look(12 * second, {None: 4}, vacuums=1),
        Look(14 * second, {None: 4}, checkpoints=1),
        Look(16 * second, {None: 4}),
        Look(25 * second, {"CPU": 4}, vacuums=1),
    ]
    marks = [PhaseEdge(0, 1, 0, 0.0), PhaseEdge(30 * second, 2, 0, 0.0)]
    counts = DatabaseCounts({}, looks, marks, [(8 * second, 13 * second)], 0.5)
    own = counts_without(pauses, counts)
    assert [each.time_unix_ns / second for each in own.looks] == [5, 15]
    assert [each.time_unix_ns / second for each in own.marks] == [0, 20]
    assert own.vacuum_spans == [(8 * second, 10 * second)]
    assert maintained_s(pauses, counts) == 3 + 2 * 0.5
    assert maintained_s(Pauses(), counts) == 0


def test_the_database_is_counted_at_the_edges_of_levels() -> None:
    edges = [record for record in RECORDS if is_edge(record, STEPS)]
    assert edges == [RECORDS[0], RECORDS[2], RECORDS[3], RECORDS[-1]]
    # Levels that are not divided have their own.
    whole = steps_of([LEVEL, LEVEL], [], Settling(0), can_end_when_steady=False)
    ends: list[Record] = [
        each for number in (0, 1) for each in (phase_start("a", 1, number, 0), phase_end(phase=number))
    ]
    assert [is_edge(each, whole) for each in ends] == [True] * 4
