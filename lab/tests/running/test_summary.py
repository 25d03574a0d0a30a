import pytest
from hdrh.histogram import HdrHistogram
from msgspec.structs import replace

from bakeoff.engines.stream import EngineSecond, PhaseEnd, PhaseStart, Record
from bakeoff.results import histograms
from bakeoff.results.cost import Gauge, Sample
from bakeoff.running.findings import findings_of
from bakeoff.running.measured_records import measured_records
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import Settling, steps_of
from bakeoff.running.summary import operations_per_second, phase_results, timeline_of, total_of
from bakeoff.sampling.gauges import GaugeReadings, Reading
from bakeoff.workload.plan import THRESHOLDS
from made_up_records import engine_second, outcomes, phase_end, phase_start

SECOND = 1_000_000_000
MS = 1_000_000


def encoded(*milliseconds: float) -> str:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for value in milliseconds:
        histogram.record_value(int(value * MS))
    return histograms.encode(histogram)


def phase(number: int, begin_s: int, latencies_ms: list[float], failed: int = 0) -> tuple[PhaseStart, PhaseEnd]:
    begin = phase_start(f"P{number}", phase=number, time_unix_ns=begin_s * SECOND)
    end = phase_end(
        phase=number,
        time_unix_ns=(begin_s + 2) * SECOND,
        duration_ns=2 * SECOND,
        sent=len(latencies_ms) + failed,
        ok=len(latencies_ms),
        failed=failed,
        errors={"timeout": failed} if failed else {},
        operations=len(latencies_ms),
        service_histogram=encoded(*latencies_ms),
    )
    return begin, end


SAMPLES = [Sample(second * SECOND, "target", second * 0.5, 1000 + second) for second in range(10)]


def test_phases_are_measured_apart_and_merged() -> None:
    records: list[Record] = [*phase(0, 0, [1.0] * 90), *phase(1, 2, [9.0] * 10)]
    phases = phase_results(records, SAMPLES)
    total = total_of(phases)
    assert [part.number for part in phases] == [1, 2]
    assert phases[0].measured.throughput_per_s == 45
    assert phases[0].measured.costs["target"].cpu_s == pytest.approx(1.0)
    assert total is not None
    assert (total.requests, total.duration_s, total.throughput_per_s) == (100, 4.0, 25.0)
    # Averaging the phases' medians would give 5 ms; the merged histogram knows better.
    assert total.latency.percentiles_ms["p50"] == pytest.approx(1.0, rel=1e-3)
    assert total.latency.percentiles_ms["p95"] == pytest.approx(9.0, rel=1e-3)
    assert total.latency.max_ms == pytest.approx(9.0, rel=1e-3)


def test_a_phase_costs_what_was_used_while_it_lasted() -> None:
    begin, end = phase(0, 0, [1.0] * 100, failed=1)
    (result,) = phase_results([begin, replace(end, time_unix_ns=9 * SECOND)], SAMPLES)
    cost = result.measured.costs["target"]
    assert (result.end_ns, cost.cpu_s, cost.cpu_percent_mean) == (2 * SECOND, 1.0, 50.0)


def test_each_process_of_several_has_its_part_of_the_cost() -> None:
    records: list[Record] = [*phase(0, 0, [1.0] * 90), *phase(1, 2, [9.0] * 10)]
    apart = {
        "one": [Sample(second * SECOND, "target", second * 0.4, 700) for second in range(10)],
        "two": [Sample(second * SECOND, "target", second * 0.1, 300) for second in range(10)],
        "ended at once": [],
    }
    phases = phase_results(records, SAMPLES, (), apart)
    total = total_of(phases)
    assert {name: cost.cpu_s for name, cost in phases[1].measured.processes.items()} == pytest.approx(
        {"one": 0.8, "two": 0.2}
    )
    assert total is not None
    assert {name: cost.memory_peak_bytes for name, cost in total.processes.items()} == {"one": 700, "two": 300}


def test_a_gauge_is_known_of_the_phases_in_which_it_was_read() -> None:
    records: list[Record] = [*phase(0, 0, [1.0] * 90), *phase(1, 2, [9.0] * 10), *phase(2, 5, [1.0])]
    gauges = {
        "queue": GaugeReadings("calls", [Reading(at * SECOND // 2, value) for at, value in [(1, 4), (3, 6), (5, 20)]]),
        "never read": GaugeReadings("calls"),
    }
    phases = phase_results(records, SAMPLES, gauges=gauges)
    assert [part.measured.gauges for part in phases] == [
        {"queue": Gauge("calls", 5.0, 6, 2)},
        {"queue": Gauge("calls", 20.0, 20, 1)},
        {},
    ]
    total = total_of(phases)
    assert total is not None
    # Phases of one length count alike, however often the gauge was read in them.
    assert total.gauges == {"queue": Gauge("calls", 12.5, 20, 3)}


def test_a_phase_without_an_end_is_left_out() -> None:
    records: list[Record] = [*phase(0, 0, [1.0]), phase(1, 2, [1.0])[0]]
    assert len(phase_results(records, SAMPLES)) == 1
    assert total_of([]) is None


def test_response_time_goes_before_service_time() -> None:
    begin, end = phase(0, 0, [1.0])
    (result,) = phase_results([begin, replace(end, response_histogram=encoded(50.0))], [])
    assert result.measured.latency.max_ms == pytest.approx(50.0, rel=1e-3)


def test_a_phase_in_which_nothing_succeeded_has_no_latency() -> None:
    (result,) = phase_results(phase(0, 0, [], failed=4), [])
    assert (result.measured.latency.count, result.measured.error_rate, result.measured.throughput_per_s) == (
        0,
        1.0,
        0.0,
    )


@pytest.mark.parametrize(
    ("latencies", "failed", "found"),
    [
        ([1.0] * 100, 0, []),
        ([1.0] * 99, 1, [("errors", "warning")]),
        ([1.0] * 95, 5, [("errors", "error")]),
        ([1.0] * 90 + [2500.0] * 10, 0, [("threshold", "warning")]),
        ([1.0] * 90 + [6000.0] * 10, 0, [("threshold", "warning"), ("threshold", "warning")]),
    ],
)
def test_findings(latencies: list[float], failed: int, found: list[tuple[str, str]]) -> None:
    total = total_of(phase_results(phase(0, 0, latencies, failed), []))
    assert total is not None
    assert [(finding.kind, finding.severity) for finding in findings_of(total, THRESHOLDS, None)] == found


def test_errors_name_the_log_to_read() -> None:
    total = total_of(phase_results(phase(0, 0, [1.0] * 99, 1), []))
    assert total is not None
    (finding,) = findings_of(total, THRESHOLDS, "results/a/20260101T000000.000-quick-8k.log")
    assert finding.advice.startswith("Read results/a/20260101T000000.000-quick-8k.log. ")


def second(phase_number: int, number: int, operations: int) -> EngineSecond:
    histogram = encoded(1.0) if operations else None
    return engine_second(number, phase=phase_number, operations=operations, service_histogram=histogram)


def test_seconds_are_placed_on_one_time_line_without_those_cut_short() -> None:
    records: list[Record] = [*phase(0, 10, [1.0]), *phase(1, 13, [1.0])]
    # They may come late and out of order; the third of a phase of two seconds is what straggled.
    records += [second(1, 0, 0), second(0, 1, 6), second(0, 0, 5), second(0, 2, 1)]
    timeline = timeline_of(records)
    assert [(each.at_s, each.phase, each.operations) for each in timeline] == [(0, 1, 5), (1, 1, 6), (3, 2, 0)]
    assert timeline[0].p99_ms == pytest.approx(1.0, rel=1e-3)
    assert timeline[2].p50_ms is None
    assert operations_per_second(records, 0) == [5, 6]


def test_what_settles_counts_for_nothing_and_levels_keep_their_places() -> None:
    levels = [Phase("P1", 10, 2, rate_per_s=5.0), Phase("P2", 20, 2)]
    steps = steps_of(levels, [1, 0], Settling(2, 2), can_end_when_steady=False)
    records: list[Record] = [
        *phase(0, 0, [500.0] * 100), *phase(1, 2, [9.0] * 10), *phase(2, 4, [500.0] * 100), *phase(3, 6, [1.0] * 20),
        second(0, 0, 7), second(1, 0, 8), second(2, 0, 7), second(3, 0, 9),
    ]  # fmt: skip
    kept = measured_records(records, steps)
    measured = phase_results(kept, SAMPLES, levels)
    assert [(each.number, each.name, each.arrival_rate_per_s) for each in measured] == [(1, "P3", 5.0), (2, "P1", None)]
    total = total_of(measured)
    assert total is not None and total.requests == 30 and total.latency.max_ms == pytest.approx(9.0, rel=1e-3)
    # Two phases of 2 s: what was used between them is in no figure.
    assert total.costs["target"].cpu_s == pytest.approx(2.0)
    assert [(each.phase, each.at_s) for each in timeline_of(kept)] == [(2, 0), (1, 4)]


def test_a_straggler_costs_latency_and_no_throughput() -> None:
    begin, end = phase(0, 0, [1.0] * 99 + [3000.0])
    late = replace(end, duration_ns=5 * SECOND, planned_ns=2 * SECOND, operations_late=1)
    (result,) = phase_results([begin, late], [])
    assert (result.measured.throughput_per_s, result.measured.duration_s) == (99 / 2, 5.0)
    assert result.measured.latency.max_ms == pytest.approx(3000.0, rel=1e-3)
    total = total_of([result, result])
    assert total is not None and (total.throughput_per_s, total.operations) == (99 / 2, 200)


def test_a_stream_that_knew_no_window_counts_everything() -> None:
    begin, end = phase(0, 0, [1.0] * 100)
    (old,) = phase_results([begin, replace(end, duration_ns=4 * SECOND)], [])
    assert (old.measured.window_s, old.measured.throughput_per_s) == (None, 25.0)
    (new,) = phase_results([begin, replace(end, planned_ns=2 * SECOND, operations_late=0)], [])
    total = total_of([old, new])
    assert total is not None and total.window_s is None


def test_operations_are_measured_apart_and_over_all_phases() -> None:
    first, second = phase(0, 0, [1.0] * 4), phase(1, 2, [9.0] * 4)
    read = outcomes(sent=3, ok=3, statuses={"200": 3}, checked=1, service_histogram=encoded(1.0, 1.0, 1.0))
    save = outcomes(sent=1, failed=1, errors={"status_500": 1}, statuses={"500": 1})
    slow = outcomes(sent=4, ok=4, service_histogram=encoded(9.0), response_histogram=encoded(*[20.0] * 4))
    records: list[Record] = [
        first[0],
        replace(first[1], by_operation={"Read": read, "Save": save}),
        second[0],
        replace(second[1], by_operation={"Read": slow}),
    ]
    phases = phase_results(records, [])
    total = total_of(phases)
    assert total is not None
    assert list(phases[1].measured.by_operation) == ["Read"]
    assert (total.by_operation["Read"].requests, total.by_operation["Save"].errors) == (7, {"status_500": 1})
    # Of the second phase the time from the scheduled instant counts.
    assert total.by_operation["Read"].latency.max_ms == pytest.approx(20.0, rel=1e-3)
    assert total.operation_throughput_per_s("Read") == 7 / 4
