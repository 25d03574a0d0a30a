"""Merged streams of several agents must equal the stream of one engine with all their users."""

from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from bakeoff.engines.merging import Merging
from bakeoff.engines.stream import (
    End,
    EngineSecond,
    EngineVersion,
    Note,
    PhaseEnd,
    PhaseStart,
    Record,
    Start,
    StreamError,
)
from bakeoff.results import histograms
from made_up_records import merged, record_of

SECOND_NS = 1_000_000_000
BEGIN_NS = 1_700_000_000 * SECOND_NS

# The latencies that each of two agents saw in each second of each phase, some of them of requests that failed.
Latencies = list[list[tuple[list[int], list[int]]]]
some_latencies = st.lists(st.integers(1, 5 * SECOND_NS), max_size=4)
some_phases = st.lists(st.lists(st.tuples(some_latencies, some_latencies), min_size=1, max_size=3), max_size=3)


def histogram(latencies: list[int]) -> str | None:
    recorded = HdrHistogram(1, 3600 * SECOND_NS, 3)
    for latency in latencies:
        recorded.record_value(latency)
    return histograms.encode(recorded) if latencies else None


def counters(latencies: list[int]) -> dict[str, Any]:
    """A request that takes an odd time has failed."""
    failed = [latency for latency in latencies if latency % 2]
    kinds = {f"status_50{latency % 3}" for latency in failed}
    return {
        "sent": len(latencies),
        "ok": len(latencies) - len(failed),
        "failed": len(failed),
        "errors": {kind: sum(f"status_50{each % 3}" == kind for each in failed) for kind in sorted(kinds)},
        "operations": len(latencies) - len(failed),
        "bytes_sent": 400 * len(latencies),
        "bytes_received": 60 * len(latencies),
        "unsent": 2 * len(latencies),
        "service_histogram": histogram(latencies),
        "response_histogram": None,
        "by_operation": by_operation(latencies),
    }


def by_operation(latencies: list[int]) -> dict[str, Any]:
    """A request that takes a multiple of three was a write, any other one a read, of which every fifth is checked."""
    parts = {
        "read": [latency for latency in latencies if latency % 3],
        "write": [latency for latency in latencies if latency % 3 == 0],
    }
    return {name: operation(part) for name, part in sorted(parts.items()) if part}


def operation(latencies: list[int]) -> dict[str, Any]:
    failed = [latency for latency in latencies if latency % 2]
    checked = [latency for latency in latencies if latency % 5 == 0]
    return {
        "sent": len(latencies),
        "ok": len(latencies) - len(failed),
        "failed": len(failed),
        "checked": len(checked),
        "checks_failed": sum(latency % 2 for latency in checked),
        "errors": {"timeout": len(failed)} if failed else {},
        "statuses": {"200": len(latencies)},
        "service_histogram": histogram(latencies),
        "response_histogram": None,
    }


def stream(phases: list[list[list[int]]], users: int) -> list[Record]:
    """The stream of an engine that saw these latencies in each second of each phase."""
    engine = {"name": "native", "version": "1"}
    common = {"workload": "w", "target": "t", "protocol": "http"}
    documents: list[dict[str, Any]] = [
        {
            "type": "start",
            "version": 1,
            "checks": {"read": 0.2},
            "engine": engine,
            **common,
            "connections": users,
            "time_unix_ns": BEGIN_NS,
        }
    ]
    at_ns = BEGIN_NS
    for phase, seconds in enumerate(phases):
        documents.append(
            {"type": "phase_start", "phase": phase, "name": "p", "virtual_users": users, "time_unix_ns": at_ns}
        )
        for second, latencies in enumerate(seconds):
            time = {"second": second, "time_unix_ns": at_ns + second * SECOND_NS}
            documents.append({"type": "second", "phase": phase, **time, **counters(latencies)})
        at_ns += len(seconds) * SECOND_NS
        documents.append(
            {
                "type": "phase_end",
                "phase": phase,
                "time_unix_ns": at_ns,
                "duration_ns": len(seconds) * SECOND_NS,
                "planned_ns": len(seconds) * SECOND_NS,
                "operations_late": 0,
                **counters([latency for latencies in seconds for latency in latencies]),
                "connections_opened": users,
                "interrupted": False,
                "send_lag_histogram": None,
            }
        )
    documents.append({"type": "end", "reason": "completed", "message": "", "time_unix_ns": at_ns})
    return [record_of(document) for document in documents]


def _ended(record: Record, **changes: Any) -> End:
    assert isinstance(record, End)
    return replace(record, **changes)


def split(phases: Latencies, agent: int) -> list[list[list[int]]]:
    return [[both[agent] for both in seconds] for seconds in phases]


@given(some_phases)
def test_a_split_put_together_is_the_whole(phases: Latencies) -> None:
    whole = stream([[first + second for first, second in seconds] for seconds in phases], users=5)
    assert merged([stream(split(phases, 0), users=2), stream(split(phases, 1), users=3)]) == whole


@given(some_phases, st.data())
def test_it_does_not_matter_whose_record_is_read_first(phases: Latencies, data: st.DataObject) -> None:
    streams = [stream(split(phases, agent), users=1) for agent in (0, 1)]
    merging, records, left = Merging(["agent 1", "agent 2"]), [], [0, 0]
    while any(left[agent] < len(streams[agent]) for agent in (0, 1)):
        agent = data.draw(st.sampled_from([each for each in (0, 1) if left[each] < len(streams[each])]))
        records += merging.take(agent, streams[agent][left[agent]])
        left[agent] += 1
    assert records == merged(streams)


def test_percentiles_come_from_the_sum_and_are_no_average() -> None:
    """Ninety quick requests of one agent, ten slow ones of the other."""
    quick, slow = stream([[[1_000_000] * 90]], 1), stream([[[100_000_000] * 10]], 1)
    (end,) = [record for record in merged([quick, slow]) if isinstance(record, PhaseEnd)]
    latency = histograms.summarise(histograms.merge([end.service_histogram]))
    assert latency.percentiles_ms["p50"] == pytest.approx(1, rel=1e-3)
    assert latency.percentiles_ms["p90"] == pytest.approx(1, rel=1e-3)
    assert latency.percentiles_ms["p95"] == pytest.approx(100, rel=1e-3)


def test_a_second_is_told_once_all_have_told_of_it_or_are_past_it() -> None:
    first, second = stream([[[2], [4]]], 1), stream([[[6], [8]]], 1)
    merging = Merging(["agent 1", "agent 2"])
    for record in first:
        assert merging.take(0, record) == []
    # The other reported nothing of its first second.
    rest = [record for record in second if not (isinstance(record, EngineSecond) and record.second == 0)]
    merged_by = [[type(each) for each in merging.take(1, record)] for record in rest]
    assert merged_by == [[Start], [PhaseStart], [EngineSecond, EngineSecond], [PhaseEnd], [End]]


def test_a_phase_lasts_from_the_first_begin_to_the_last_end() -> None:
    early, late = stream([[[2]]], 1), stream([[[4]]], 1)
    late = [
        replace(record, time_unix_ns=record.time_unix_ns + 30_000_000)
        for record in late
        if not isinstance(record, Note)
    ]
    merging = Merging(["agent 1", "agent 2"])
    records = [done for agent in (0, 1) for record in (early, late)[agent] for done in merging.take(agent, record)]
    (end,) = [record for record in records if isinstance(record, PhaseEnd)]
    (begin,) = [record for record in records if isinstance(record, PhaseStart)]
    assert (begin.time_unix_ns, end.duration_ns) == (BEGIN_NS, SECOND_NS + 30_000_000)
    assert merging.begun_apart_ns == 30_000_000


def test_agents_that_stopped_at_different_places_still_come_to_an_end() -> None:
    """One was interrupted before the second phase, the other in it."""
    first, second = stream([[[2]]], 1), stream([[[4]], [[6]]], 1)
    first[-1] = _ended(first[-1], reason="interrupted")
    records = merged([first, second])
    assert [type(record) for record in records].count(PhaseEnd) == 2
    assert isinstance(records[-1], End) and records[-1].reason == "interrupted"


def test_the_worst_end_is_the_end_of_all() -> None:
    first, second = stream([], 1), stream([], 1)
    second[-1] = _ended(second[-1], reason="failed", message="no descriptor left")
    end = merged([first, second])[-1]
    assert isinstance(end, End)
    assert (end.reason, end.message) == ("failed", "agent 2: no descriptor left")


def test_notes_say_whose_they_are() -> None:
    note = Note(level="warning", message="few descriptors")
    assert Merging(["agent 1", "agent 2"]).take(1, note) == [replace(note, message="agent 2: few descriptors")]


@pytest.mark.parametrize("change", [{"engine": EngineVersion("native", "2")}, {"target": "another"}])
def test_agents_must_do_the_same(change: dict[str, Any]) -> None:
    first, second = stream([], 1), stream([], 1)
    second[0] = replace(second[0], **change)
    with pytest.raises(StreamError, match=f"The agents differ: {next(iter(change))} is "):
        merged([first, second])
