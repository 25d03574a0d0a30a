"""The k6 engine against real HTTP servers: what it sends, and what it says about the replies."""

import json
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from k6_harness import Record, arrivals, held, iterations, plan_for, put_operation, run_engine
from k6_servers import HttpReply, http_server
from reference_rendering import event


def test_iterations_send_the_events_of_the_contract(tmp_path: Path) -> None:
    with http_server() as server:
        plan = plan_for("http", server.port, iterations(5))
        outcome = run_engine(tmp_path, plan)
    wanted = [event(plan, 0, sequence, {}) for sequence in range(5)]
    assert [(seen.path, seen.body) for seen in server.seen] == [(item["path"], item["message"]) for item in wanted]
    assert outcome.status == 0
    assert outcome.end["reason"] == "completed"
    [phase] = outcome.of("phase_end")
    assert (phase["sent"], phase["ok"], phase["operations"], phase["errors"]) == (5, 5, 5, {})
    assert phase["connections_opened"] == server.connections == 1
    assert phase["bytes_sent"] > sum(len(seen.body.encode()) for seen in server.seen)
    assert phase["bytes_received"] > 0


def test_acknowledged_keys_are_used_again_and_others_are_not(tmp_path: Path) -> None:
    with http_server(lambda number: HttpReply(status=500 if number == 0 else 200)) as server:
        plan = plan_for("http", server.port, iterations(4))
        plan["keys"][0]["reuse"] = {"share": 1, "pick": "uniform"}
        run_engine(tmp_path, plan)
    # The first was refused, so the second makes its own key, which the others have no choice but to use.
    assert [seen.path for seen in server.seen] == [f"/items/item-0-{sequence}" for sequence in (0, 1, 1, 1)]


def test_phases_are_held_one_after_another_over_the_same_connections(tmp_path: Path) -> None:
    with http_server() as server:
        plan = plan_for("http", server.port, held(2, 1200), held(4, 1000), held(1, 1000), think_time_ms=5)
        outcome = run_engine(tmp_path, plan)
    assert [record["type"] for record in outcome.records if record["type"].startswith("phase")] == [
        "phase_start",
        "phase_end",
    ] * 3
    ends = outcome.of("phase_end")
    # A busy machine can give the first request of a phase's new user to the phase before.
    *opened, last = (end["connections_opened"] for end in ends)
    assert (sum(opened), last) == (4, 0)
    assert server.connections == outcome.records[0]["connections"] == 4
    assert sum(end["sent"] for end in ends) == len(server.seen)
    for index, end in enumerate(ends):
        _adds_up(outcome.of("second"), end, index)
    assert [record["second"] for record in outcome.of("second") if record["phase"] == 0] == [0, 1]


def test_every_virtual_user_has_keys_of_its_own(tmp_path: Path) -> None:
    phases = (iterations(6, users=2), held(2, 500), iterations(3))
    with http_server() as server:
        outcome = run_engine(tmp_path, plan_for("http", server.port, *phases, think_time_ms=10))
    paths = [seen.path for seen in server.seen]
    assert len(set(paths)) == len(paths)
    assert [end["phase"] for end in outcome.of("phase_end")] == [0, 1, 2]
    assert [end["sent"] for end in outcome.of("phase_end")][::2] == [6, 3]


def test_think_time_is_kept(tmp_path: Path) -> None:
    with http_server() as server:
        run_engine(tmp_path, plan_for("http", server.port, held(1, 1000), think_time_ms=200))
    assert 1 <= len(server.seen) <= 6


@pytest.mark.parametrize(
    ("reply", "kind", "has_histogram"),
    [
        (HttpReply(status=503), "status_503", True),
        (HttpReply(status=302), "status_302", True),
        (HttpReply(silent=True), "timeout", True),
        (HttpReply(status=None), "other", False),  # hung up: k6 says no more than EOF
    ],
)
def test_failures_are_counted_by_kind(tmp_path: Path, reply: HttpReply, kind: str, has_histogram: bool) -> None:
    with http_server(lambda number: reply if number > 0 else HttpReply()) as server:
        outcome = run_engine(tmp_path, plan_for("http", server.port, iterations(3), timeout_ms=300))
    [phase] = outcome.of("phase_end")
    assert (phase["sent"], phase["ok"], phase["failed"], phase["errors"]) == (3, 1, 2, {kind: 2})
    assert phase["operations"] == 1
    assert _recorded(phase["service_histogram"]) == (3 if has_histogram else 1)
    assert outcome.status == 0, "failed requests are results"


def test_refused_connections_are_counted(tmp_path: Path) -> None:
    with http_server() as server:
        port = server.port
    outcome = run_engine(tmp_path, plan_for("http", port, iterations(4)))
    [phase] = outcome.of("phase_end")
    assert phase["errors"] == {"refused": 4}
    assert phase["service_histogram"] is None


def test_another_status_can_be_the_expected_one(tmp_path: Path) -> None:
    with http_server(lambda _number: HttpReply(status=404)) as server:
        plan = plan_for("http", server.port, iterations(2), operations=[put_operation(http_expect=404)])
        outcome = run_engine(tmp_path, plan)
    assert outcome.of("phase_end")[0]["ok"] == 2


@pytest.mark.parametrize(("share", "malformed"), [(0, 0), (0.5, 5), (1, 10)])
def test_a_share_of_replies_is_checked(tmp_path: Path, share: float, malformed: int) -> None:
    with http_server(lambda _number: HttpReply(body=b'{"stored":false}')) as server:
        outcome = run_engine(tmp_path, plan_for("http", server.port, iterations(10), verify_share=share))
    [phase] = outcome.of("phase_end")
    assert phase["errors"] == ({"malformed": malformed} if malformed else {})
    assert phase["ok"] == 10 - malformed
    put = phase["by_operation"]["put"]
    assert all(put[name] == phase[name] for name in ("sent", "ok", "failed", "errors", "service_histogram"))
    assert (put["statuses"], put["checked"], put["checks_failed"]) == ({"200": 10}, malformed, malformed)
    assert outcome.records[0]["checks"] == {"put": share}


def test_a_reply_that_is_not_json_is_malformed(tmp_path: Path) -> None:
    with http_server(lambda _number: HttpReply(body=b"<html>")) as server:
        outcome = run_engine(tmp_path, plan_for("http", server.port, iterations(2), verify_share=1))
    assert outcome.of("phase_end")[0]["errors"] == {"malformed": 2}


def test_batches_carry_events_sequence_by_sequence(tmp_path: Path) -> None:
    batch: Record = {"method": "POST", "path": "/items", "expect": 200, "open": "[", "separator": ",", "close": "]"}
    with http_server() as server:
        batch["reply"] = {"/refused": 0}
        plan = plan_for("http", server.port, iterations(2), batch=batch, batch_size=3, verify_share=1)
        outcome = run_engine(tmp_path, plan)
    bodies = [json.loads(seen.body) for seen in server.seen]
    assert [seen.path for seen in server.seen] == ["/items", "/items"]
    assert [[item["id"] for item in body] for body in bodies] == [
        ["item-0-0", "item-0-1", "item-0-2"],
        ["item-0-3", "item-0-4", "item-0-5"],
    ]
    [phase] = outcome.of("phase_end")
    assert (phase["sent"], phase["ok"], phase["operations"]) == (2, 2, 6)


def test_arrivals_that_no_user_is_free_for_are_counted_as_unsent(tmp_path: Path) -> None:
    with http_server(lambda number: HttpReply(silent=number >= 10)) as server:
        phases = arrivals(62.5, 4, 1600), arrivals(200, 4, 1000)
        outcome = run_engine(tmp_path, plan_for("http", server.port, *phases, timeout_ms=2500))
    first, second = outcome.of("phase_end")
    # Four users wait for replies that never come, whatever the machine does.
    assert first["unsent"] > 0 and second["unsent"] > 0
    assert first["errors"]["timeout"] + second["errors"].get("timeout", 0) >= 4
    assert _recorded(first["response_histogram"]) == first["sent"]
    assert any("begins an arrival at once or drops it" in note["message"] for note in outcome.of("note"))


def _adds_up(seconds: list[Record], end: Record, phase: int) -> None:
    mine = [record for record in seconds if record["phase"] == phase]
    for member in ("sent", "ok", "failed", "operations", "bytes_sent", "bytes_received", "unsent"):
        assert sum(record[member] for record in mine) == end[member], member
    recorded = sum(_recorded(record["service_histogram"]) for record in mine)
    assert recorded == _recorded(end["service_histogram"]) == end["ok"]


def _recorded(histogram: str | None) -> int:
    return 0 if histogram is None else int(HdrHistogram.decode(histogram).get_total_count())
