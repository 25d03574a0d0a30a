from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from bakeoff.engines import histograms
from bakeoff.running.findings import agents_findings, audit_findings, generator_findings


def encoded(milliseconds: float) -> str:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    histogram.record_value(int(milliseconds * 1e6))
    return histograms.encode(histogram)


def phase_end(**changes: Any) -> dict[str, Any]:
    record = {
        "type": "phase_end",
        "phase": 0,
        "unsent": 0,
        "service_histogram": encoded(20),
        "response_histogram": None,
        "send_lag_histogram": None,
    }
    return {**record, **changes}


@pytest.mark.parametrize(
    ("record", "peak", "ceiling", "kinds"),
    [
        (phase_end(), 10_000, 100_000, []),
        (phase_end(), 33_000, 100_000, []),
        (phase_end(), 34_000, 100_000, ["generator-bound"]),
        (phase_end(), 10_000, None, ["not-calibrated"]),
        (phase_end(unsent=3), 10, 100_000, ["unsent"]),
        # Late by more than a millisecond and by more than a tenth of what was measured.
        (phase_end(send_lag_histogram=encoded(3)), 10, 100_000, ["generator-lagged"]),
        (phase_end(send_lag_histogram=encoded(1.5)), 10, 100_000, []),
        (phase_end(send_lag_histogram=encoded(0.9), service_histogram=encoded(1)), 10, 100_000, []),
        (phase_end(send_lag_histogram=encoded(3), response_histogram=encoded(300)), 10, 100_000, []),
    ],
)
def test_generator(record: dict[str, Any], peak: float, ceiling: float | None, kinds: list[str]) -> None:
    assert [finding.kind for finding in generator_findings([record], peak, ceiling, "native", "")] == kinds


def verdict(**changes: Any) -> dict[str, Any]:
    nothing = {"count": 0, "examples": []}
    clean = {"lost": nothing, "wrong": nothing, "stale": nothing, "unexplained_rows": nothing, "ledger_complete": True}
    return {**clean, "clean": True, **changes}


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        (None, ["not-audited"]),
        (verdict(), []),
        (verdict(clean=False, lost={"count": 2, "examples": []}), ["audit-failed"]),
        (verdict(ledger_complete=False), ["audit-incomplete"]),
        (verdict(unexplained_rows={"count": 1, "examples": []}), ["unexplained-rows"]),
    ],
)
def test_audit(given: dict[str, Any] | None, kinds: list[str]) -> None:
    assert [finding.kind for finding in audit_findings(given, "k6")] == kinds


def test_preloaded_rows_are_explained() -> None:
    held = verdict(clean=True, unexplained_rows={"count": 1000, "examples": []})
    assert audit_findings(held, "native", preloaded=1000) == []
    assert [finding.kind for finding in audit_findings(held, "native", preloaded=999)] == ["unexplained-rows"]


def test_the_audit_s_violations_are_counted() -> None:
    broken = verdict(clean=False, lost={"count": 1200, "examples": []}, stale={"count": 3, "examples": []})
    (finding,) = audit_findings(broken, "native")
    assert finding.severity == "error"
    assert finding.message.endswith("1,200 lost, 3 stale.")


@pytest.mark.parametrize(
    ("state", "kinds"),
    [
        (None, []),
        ({}, []),
        ({"agents_apart_ms": 50.0}, []),
        ({"agents_apart_ms": 51.0}, ["agents-apart"]),
        ({"agents_apart_ms": 1200.0}, ["agents-apart"]),
    ],
)
def test_agents_that_did_not_begin_together(state: dict[str, Any] | None, kinds: list[str]) -> None:
    assert [finding.kind for finding in agents_findings(state)] == kinds
