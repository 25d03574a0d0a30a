"""Count-bound phases with the columns of other tools."""

from bakeoff.reporting.count_tables import count_tables
from bakeoff.results.run import Status
from bakeoff.text.table import text_of
from made_up import measured, phase, run_of


def rows_of(scenarios: dict[str, list[object]]) -> list[str]:
    text = text_of(*count_tables(scenarios))  # type: ignore[arg-type]
    return [" ".join(line.split()) for line in text.splitlines() if line]


def test_every_figure_of_a_scenario_stands_in_a_line() -> None:
    part = measured(1000, 2.0, failed=10, requests=1000, duration_s=1.0)
    rows = rows_of({"Health": [run_of(phases=[phase(1, 200, part)])]})
    assert rows[0] == "scenario requests concurrency requests/s average ms success"
    assert rows[2].startswith("Health 1,000 200 990 ")
    assert rows[2].endswith(" 99%")
    assert rows[3] == "scenario fastest p10 p25 p50 p75 p90 p95 p99 p99.9 slowest"
    name, *latencies = rows[5].split(" ")
    assert name == "Health"
    assert len(latencies) == 10
    assert sorted(latencies, key=float) == latencies
    assert float(latencies[3]) == 2.0


def test_contenders_of_one_scenario_are_told_apart_and_what_failed_is_a_dash() -> None:
    part = measured(1000, 2.0)
    one, other = run_of("a-rest", phases=[phase(1, 5, part)]), run_of("b-rest", phases=[], status=Status.FAILED)
    rows = rows_of({"Echo": [one, other]})
    assert [row.split(" ")[:2] for row in rows[2:4]] == [["Echo,", "a-rest"], ["Echo,", "b-rest"]]
    assert rows[3] == "Echo, b-rest – – – – –"
    assert [row.split(" ")[0] for row in rows_of({"": [one]})[2:3]] == ["a-rest"]


def test_an_interrupted_run_has_no_figures() -> None:
    interrupted = run_of(phases=[phase(1, 5, measured(1000))], status=Status.INTERRUPTED)
    assert rows_of({"Echo": [interrupted]})[2] == "Echo – – – – –"
