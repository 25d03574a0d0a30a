from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

import made_up_records
from bakeoff.engines.stream import PhaseEnd
from bakeoff.results import histograms
from bakeoff.results.audit import Audit
from bakeoff.running.findings import (
    audit_findings,
    gauge_findings,
    generator_findings,
    machine_findings,
    not_audited,
    replica_findings,
    waiting_findings,
)
from bakeoff.running.stored_state import CreatedBefore, created_before_findings
from bakeoff.sampling.gauges import GaugeReads
from observations import machine_state


def encoded(milliseconds: float) -> str:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    histogram.record_value(int(milliseconds * 1e6))
    return histograms.encode(histogram)


def spread(usual_ms: float, other_ms: float) -> str:
    """Ninety-nine of a hundred requests take the one, one the other."""
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    histogram.record_value(int(usual_ms * 1e6), 99)
    histogram.record_value(int(other_ms * 1e6), 1)
    return histograms.encode(histogram)


def phase_end(**changes: Any) -> PhaseEnd:
    return made_up_records.phase_end(**{"service_histogram": encoded(20), **changes})


@pytest.mark.parametrize(
    ("record", "peak", "ceiling", "kinds"),
    [
        (phase_end(), 10_000, 100_000, []),
        (phase_end(), 33_000, 100_000, []),
        (phase_end(), 34_000, 100_000, ["generator-bound"]),
        (phase_end(), 10_000, None, ["not-calibrated"]),
        (phase_end(unsent=3), 10, 100_000, ["unsent"]),
        # Late by more than a tenth of what was measured, at p99 or at p50.
        (phase_end(send_lag_histogram=encoded(3)), 10, 100_000, ["generator-lagged"]),
        (phase_end(send_lag_histogram=encoded(1.5)), 10, 100_000, []),
        (phase_end(send_lag_histogram=encoded(0.9), service_histogram=encoded(1)), 10, 100_000, ["generator-lagged"]),
        (phase_end(send_lag_histogram=encoded(0.09), service_histogram=encoded(0.5)), 10, 100_000, []),
        (phase_end(send_lag_histogram=encoded(3), response_histogram=encoded(300)), 10, 100_000, []),
    ],
)
def test_generator(record: PhaseEnd, peak: float, ceiling: float | None, kinds: list[str]) -> None:
    assert [finding.kind for finding in generator_findings([record], peak, ceiling, "native", "")] == kinds


def test_lag_is_the_engine_s_own() -> None:
    record = phase_end(phase=2, send_lag_histogram=encoded(3))
    (finding,) = generator_findings([record], 10, 100_000, "native", "", loads={3: "50 users"})
    assert finding.message == "At 50 users the generator ran late (p99 3 ms): distrust latency there."
    assert "The engine lacked CPU" in finding.advice


@given(st.floats(0.05, 2_000), st.floats(1, 100), st.floats(0.001, 1_000))
def test_lag_counts_by_what_it_does_to_the_latency_shown(p50_ms: float, tail: float, lag_ms: float) -> None:
    # Slow replies, however slow, hide nothing.
    latency, lag = spread(p50_ms, p50_ms * tail), spread(lag_ms, 0.001)
    record = phase_end(service_histogram=latency, send_lag_histogram=lag)
    found = [each.kind for each in generator_findings([record], 10, 100_000, "native", "")]
    if lag_ms > 1.02 * max(0.1 * p50_ms, 0.1):
        assert found == ["generator-lagged"]
    if lag_ms < 0.98 * max(0.1 * p50_ms, 0.1):
        assert found == []


def test_several_engines_are_held_against_what_one_can_do() -> None:
    (alone,) = generator_findings([phase_end()], 150_000, 100_000, "native", "")
    (shared,) = generator_findings([phase_end()], 150_000, 100_000, "native", "", agents=2)
    assert "150% of the 100,000/s that the engine native can do here." in alone.message
    assert "150% of the 100,000/s that one of its 2 engines (native) can do here." in shared.message


def verdict(**changes: Any) -> Audit:
    return msgspec.convert(changes, Audit)


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        (verdict(), []),
        (verdict(clean=False, lost={"count": 2, "examples": []}), ["audit-failed"]),
        (verdict(ledger_complete=False), ["audit-incomplete"]),
        (verdict(unexplained_rows={"count": 1, "examples": []}), ["unexplained-rows"]),
        (verdict(through="GetUser", entities=5, checked_entities=5), ["audited-by-reads"]),
    ],
)
def test_audit(given: Audit, kinds: list[str]) -> None:
    assert [finding.kind for finding in audit_findings(given)] == kinds


@pytest.mark.parametrize(
    ("has_query", "has_ledger", "message", "advice"),
    [
        (True, False, "The engine k6 keeps no ledger", "--engine native"),
        # No other engine could help.
        (False, True, "Acknowledged writes were not audited: the workload has no", 'audit = "audit.sql"'),
        (False, False, "Acknowledged writes were not audited: the workload has no", 'audit = "audit.sql"'),
        (True, True, "The run failed before", "failure"),
    ],
)
def test_why_nothing_was_audited(has_query: bool, has_ledger: bool, message: str, advice: str) -> None:
    finding = not_audited("k6", has_query=has_query, has_ledger=has_ledger)
    assert (finding.kind, finding.severity) == ("not-audited", "info")
    assert finding.message.startswith(message)
    assert advice in finding.advice


def test_what_lies_in_no_database_is_audited_through_reads_alone() -> None:
    finding = not_audited("native", has_query=False, has_ledger=True, in_database=False)
    assert (
        finding.message.startswith("Acknowledged writes were not audited: the target stores in no PostgreSQL")
        and "read_back" in finding.advice
    )


@pytest.mark.parametrize(("checked", "words"), [(9_000, "all of 9,000"), (50, ": 50 of 9,000 entities")])
def test_how_much_was_read_back_is_said(checked: int, words: str) -> None:
    (finding,) = audit_findings(verdict(through="GetUser", entities=9_000, checked_entities=checked))
    assert words in finding.message and "GetUser" in finding.message


@pytest.mark.parametrize(
    ("created", "audit", "words"),
    [
        (None, None, None),
        (CreatedBefore(100, None), None, None),
        (CreatedBefore(100, None), verdict(), None),
        (CreatedBefore(1_000, None), verdict(clean=False, lost={"count": 2, "examples": []}), "Of 1,000 entities"),
    ],
)
def test_entities_created_before_a_run_must_come_out_of_it(
    created: CreatedBefore | None, audit: Audit | None, words: str | None
) -> None:
    found = created_before_findings(created, audit)
    assert [finding.kind for finding in found] == ([] if words is None else ["audit-failed"])
    assert words is None or (words in found[0].message and "2 lost" in found[0].message)


def test_preloaded_rows_are_explained() -> None:
    held = verdict(clean=True, unexplained_rows={"count": 1000, "examples": []})
    assert audit_findings(held, rows_before=1000) == []
    assert [finding.kind for finding in audit_findings(held, rows_before=999)] == ["unexplained-rows"]
    # Stored and never answered: its key is known to the target alone.
    unanswered = replace(held, untraceable_operations=1)
    assert audit_findings(unanswered, rows_before=999) == []
    assert [finding.kind for finding in audit_findings(unanswered, rows_before=998)] == ["unexplained-rows"]


def test_the_audit_s_violations_are_counted() -> None:
    broken = verdict(clean=False, lost={"count": 1200, "examples": []}, stale={"count": 3, "examples": []})
    (finding,) = audit_findings(broken)
    assert finding.severity == "error"
    assert finding.message.endswith("1,200 lost, 3 stale.")


@pytest.mark.parametrize(
    ("state", "measured_s", "kinds"),
    [
        (None, 60, []),
        ({}, 60, []),
        ({"sampling_cpu_percent": None}, 60, []),
        ({"sampling_cpu_percent": 1.0}, 60, []),
        ({"sampling_cpu_percent": 1.1}, 60, ["sampling-overhead"]),
        # Of a smoke run hardly more than its edges were looked at.
        ({"sampling_cpu_percent": 14.0}, 0.05, []),
    ],
)
def test_sampling_that_disturbs_what_it_sees(state: dict[str, Any] | None, measured_s: float, kinds: list[str]) -> None:
    assert [finding.kind for finding in machine_findings(machine_state(state), measured_s)] == kinds


@pytest.mark.parametrize(
    ("target_percent", "database_percent", "maintained_s", "kinds"),
    [
        (None, None, 0.0, []),
        (5.0, 5.0, 0.0, []),
        (5.1, None, 0.0, ["busy-while-waiting"]),
        (0.0, 5.1, 0.0, ["database-busy-while-waiting"]),
        (0.0, 0.1, 0.5, ["database-busy-while-waiting"]),
        (9.0, 9.0, 1.0, ["busy-while-waiting", "database-busy-while-waiting"]),
    ],
)
def test_work_for_one_side_while_the_other_is_measured(
    target_percent: float | None, database_percent: float | None, maintained_s: float, kinds: list[str]
) -> None:
    found = waiting_findings(target_percent, database_percent, maintained_s)
    assert [finding.kind for finding in found] == kinds


@pytest.mark.parametrize(
    ("state", "kinds"),
    [
        (None, []),
        ({}, []),
        ({"agents_apart_ms": 50.0}, []),
        ({"agents_apart_ms": 51.0}, ["agents-not-synchronized"]),
        ({"agents_apart_ms": 1200.0}, ["agents-not-synchronized"]),
    ],
)
def test_agents_that_did_not_begin_together(state: dict[str, Any] | None, kinds: list[str]) -> None:
    assert [finding.kind for finding in machine_findings(machine_state(state), 60)] == kinds


def test_what_reads_from_a_replica_show_is_said() -> None:
    assert replica_findings(None) == []
    (found,) = replica_findings("12345")
    assert (found.kind, found.severity) == ("read-replica", "info")
    assert "served 12,345 transactions" in found.message
    assert "reads show every change that was acknowledged before" in found.message


@pytest.mark.parametrize(
    ("attempts", "failed", "is_found"), [(40, 0, False), (40, 4, False), (40, 5, True), (1, 1, True)]
)
def test_gauges_that_could_not_be_read(attempts: int, failed: int, is_found: bool) -> None:
    reads = GaugeReads("gateway 0", "http://127.0.0.1:8123/metrics", attempts, failed, "the status was 404")
    found = gauge_findings([reads, GaugeReads("gateway 1", "http://127.0.0.1:8124/metrics", 40, 0, "")])
    assert [finding.kind for finding in found] == ["gauges-unread"] * is_found
    if is_found:
        assert found[0].message == (
            f"{failed} of {attempts} readings of the gauges of gateway 0 failed at http://127.0.0.1:8123/metrics: "
            "the status was 404."
        )
        assert "names of its gauges" in found[0].advice
