from dataclasses import replace

import pytest

from bakeoff.reporting.numbers import percent_of_hundred, two_places
from bakeoff.reporting.run_table import comparison_table, one_line, run_details
from bakeoff.results.cost import Gauge
from bakeoff.results.run import RunResult, Status
from bakeoff.text.table import Table, text_of
from made_up import cost, divided, measured, operation, phase, run_of
from observations import ACTIVITY, STATE

STEADY = run_of(environment={"cores": "1"})
CEILINGS = {"engine": 8000.0, "one upsert per event": 500.0}


def lines_of(*parts: Table | str) -> list[str]:
    return [" ".join(line.split()) for line in text_of(*parts).splitlines() if line]


def test_a_row_for_each_run() -> None:
    rows = lines_of(comparison_table([run_of(), run_of("go-rest", phases=[])]))
    assert rows[2:4] == [
        "rust-rest 1,000 0.51 1.01 1.00 1.49 0 600.0 20.0",
        "go-rest – – – – – – – –",
    ]


@pytest.mark.parametrize(
    ("run", "line"),
    [
        (
            run_of(throughputs=[1000, 2000], ceilings=CEILINGS),
            "fastest phase: 4.00× PostgreSQL alone (one upsert per event) · the engine can send 4.0 times as much",
        ),
        # Lines are drawn with messages of the default size.
        (run_of(ceilings=CEILINGS, payload="64k"), "fastest phase: the engine can send 8.0 times as much"),
        (run_of(), None),
        (run_of(ceilings=CEILINGS, phases=[]), None),
        (run_of(ceilings=CEILINGS, phases=[phase(1, 1, measured(0, requests=1, failed=1))]), None),
    ],
)
def test_the_fastest_phase_is_held_against_the_machine_s_limits(run: RunResult, line: str | None) -> None:
    shown = [each for each in lines_of(*run_details(run)) if each.startswith("fastest phase")]
    assert shown == ([] if line is None else [line])


def test_the_bottleneck_is_named() -> None:
    words = "The bottleneck was the CPU of the target, on 1 core (shared): the target 60% of a core, PostgreSQL 50%."
    assert words in lines_of(*run_details(STEADY))


def test_a_run_that_does_not_count_has_no_bottleneck() -> None:
    assert not any("bottleneck" in line for line in lines_of(*run_details(replace(STEADY, status=Status.VOID))))


def test_a_run_in_one_line() -> None:
    assert one_line(run_of()) == "rust-rest: 1,000/s at 10 users · p50 1.00 ms · p99 1.49 ms · 0 of 10,000 failed"
    assert one_line(run_of(phases=[])) == "rust-rest: nothing was measured"


def test_an_interrupted_run_has_no_figures() -> None:
    run = replace(run_of(), status=Status.INTERRUPTED)
    assert one_line(run) == "rust-rest: interrupted, so that it has no figures"
    assert lines_of(comparison_table([run]))[2] == "rust-rest – – – – – – – –"
    shown = lines_of(*run_details(run))
    assert "It was interrupted, so that it has no figures." in shown
    assert not any("1,000" in line or "bottleneck" in line for line in shown)


@pytest.mark.parametrize(("value", "text"), [(0.0123, "0.01"), (1.234, "1.23"), (12.34, "12.3"), (1234.5, "1,234")])
def test_two_places(value: float, text: str) -> None:
    assert two_places(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0, "0%"), (0.004, "<0.01%"), (0.11, "0.11%"), (9.94, "9.9%"), (55.2, "55%")]
)
def test_percent(value: float | None, text: str) -> None:
    assert percent_of_hundred(value) == text


def test_what_postgresql_did_is_shown() -> None:
    shown = lines_of(*run_details(run_of(database_activity=ACTIVITY)))
    begin = shown.index("PostgreSQL activity")
    assert shown[begin + 2 : begin + 11] == [
        "WAL bytes/op 400",
        "commits/op 0.250",
        "ops/commit 4.00",
        "inserted 600",
        "updated 400",
        "HOT 90%",
        "checkpoints 2",
        "deleted 0",
        "active sessions CPU 60%, IO:WalSync 25%, LWLock:WALWrite 10%",
    ]


def test_what_the_machine_was_like_is_shown() -> None:
    shown = lines_of(*run_details(run_of(machine_state=STATE)))
    begin = shown.index("machine")
    assert shown[begin + 2 : begin + 11] == [
        "MB/s 1,750",
        "load 2.97",
        "steal 0.11%",
        "others 3.2%",
        "lab 0.90%",
        "sampling 0.50%",
        "CPU stall 55%",
        "IO stall 2.0%",
        "mem. stall 0%",
    ]


def test_what_an_older_run_did_not_record_is_a_dash() -> None:
    shown = lines_of(*run_details(run_of()))
    assert {"PostgreSQL activity: –", "machine: –"} <= set(shown)
    lacking = lines_of(*run_details(run_of(database_activity={"commits": 3}, machine_state={"speed_mb_s": 1.0})))
    assert {"commits/op –", "active sessions –", "steal –"} <= set(lacking)


def test_proportional_memory_stands_beside_resident() -> None:
    costs = {"target": replace(cost(60), pss_peak_bytes=15_500_000), "database": cost(50)}
    shown = lines_of(*run_details(run_of(phases=[phase(1, 10, measured(1000, costs=costs))])))
    assert "target 600.0 60 60 20.0 20.0 – 15.5" in shown
    assert "database 500.0 50 50 20.0 20.0 – –" in shown


def test_the_processes_of_a_target_stand_below_it() -> None:
    processes = {"gateway": cost(45), "server 0": cost(15)}
    part = measured(1000, costs={"target": cost(60), "database": cost(50)}, processes=processes)
    shown = lines_of(*run_details(run_of(phases=[phase(1, 10, part)], total=part)))
    at = shown.index("target 600.0 60 60 20.0 20.0 – –")
    assert shown[at + 1 : at + 3] == ["gateway 450.0 45 45 20.0 20.0 – –", "server 0 150.0 15 15 20.0 20.0 – –"]


def test_gauges_stand_by_phase_below_the_cost() -> None:
    first = measured(1000, gauges={"queue": Gauge("calls", 12.25, 30, 40)})
    second = measured(2000, gauges={"queue": Gauge("calls", 98765.4, 123456, 40), "threads": Gauge("threads", 2, 2, 1)})
    total = measured(1500, gauges={"queue": Gauge("calls", 49389, 123456, 80)})
    run = run_of(phases=[phase(1, 10, first), phase(2, 50, second)], total=total)
    shown = lines_of(*run_details(run))
    at = shown.index("gauge phase mean maximum readings unit")
    assert shown[at + 2 : at + 6] == [
        "queue 1 10 users 12.2 30.0 40 calls",
        "queue 2 50 users 98,765 123,456 40 calls",
        "threads 2 50 users 2.00 2.00 1 threads",
        "queue all 49,389 123,456 80 calls",
    ]
    assert at > next(place for place, line in enumerate(shown) if line.startswith("cost CPU"))
    assert not any(line.startswith("gauge") for line in lines_of(*run_details(run_of())))


def test_the_settings_in_force_are_shown_where_they_are_known() -> None:
    environment = {"target_settings": "pool_size 10 (default)"}
    assert "settings: pool_size 10 (default)" in lines_of(*run_details(run_of(environment=environment)))
    assert not any(line.startswith("settings") for line in lines_of(*run_details(run_of())))


def test_operations_stand_with_their_checks_statuses_and_data_rates() -> None:
    total = divided(
        {
            "Read": operation(990, 5.0, errors={"body": 10}, statuses={"200": 1000}, checked=20, checks_failed=10),
            "Save": operation(3000, errors={"timeout": 2}),
        }
    )
    shown = lines_of(*run_details(run_of(phases=[phase(1, 10, total)], checks={"Read": 0.02, "Save": 0.0})))
    assert "Read 1,000 99.0 2.55 5.03 5.00 7.25 7.45 7.50 7.50 10 20 (2%) 10" in shown
    assert "Save 3,002 300 0.51 1.01 1.00 1.45 1.49 1.50 1.50 2 0 (0%) –" in shown
    assert {"Read 200 1,000", "body 10", "Save 200 3,000", "timeout 2"} <= set(shown)
    assert "1 10 users 2.00 0.24 0.20 0.02 500 60" in shown


@pytest.mark.parametrize("width", [66, 80, 100])
def test_a_run_fits_narrow_terminals(width: int) -> None:
    total = divided({"Read": operation(990, 5.0), "A long name of an operation": operation(3000)})
    run = run_of(phases=[phase(1, 10, total), phase(2, 50, total)], database_activity=ACTIVITY, machine_state=STATE)
    lines = text_of(*run_details(run), width=width).splitlines()
    assert max(map(len, lines)) <= width
