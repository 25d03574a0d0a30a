"""The k6 engine against real gRPC servers."""

import json
import subprocess
from pathlib import Path

import grpc
import pytest
from k6_harness import DEADLINE_SECONDS, ENGINE, held, iterations, k6_path, plan_for, put_operation, run_engine
from k6_servers import PROTO, grpc_server
from reference_rendering import event


def test_iterations_send_the_events_of_the_contract(tmp_path: Path) -> None:
    with grpc_server() as server:
        plan = plan_for("grpc", server.port, iterations(5), verify_share=1)
        outcome = run_engine(tmp_path, plan)
    wanted = [json.loads(event(plan, 0, sequence, {})["message"]) for sequence in range(5)]
    assert [json.loads(seen.body) for seen in server.seen] == wanted
    [phase] = outcome.of("phase_end")
    assert (phase["sent"], phase["ok"], phase["errors"], phase["connections_opened"]) == (5, 5, {}, 1)
    assert phase["service_histogram"] is not None
    assert phase["bytes_sent"] > 0
    assert outcome.status == 0


def test_connections_are_made_once_and_kept_over_phases(tmp_path: Path) -> None:
    with grpc_server() as server:
        plan = plan_for("grpc", server.port, held(2, 600), held(4, 600), held(1, 600), think_time_ms=5)
        outcome = run_engine(tmp_path, plan)
    assert server.connections == 4
    assert [end["connections_opened"] for end in outcome.of("phase_end")] == [2, 2, 0]
    assert sum(end["sent"] for end in outcome.of("phase_end")) == len(server.seen)


def test_statuses_are_counted_by_name(tmp_path: Path) -> None:
    with grpc_server(grpc.StatusCode.RESOURCE_EXHAUSTED) as server:
        outcome = run_engine(tmp_path, plan_for("grpc", server.port, iterations(3)))
    assert outcome.of("phase_end")[0]["errors"] == {"grpc_RESOURCE_EXHAUSTED": 3}


@pytest.mark.parametrize("status", [grpc.StatusCode.NOT_FOUND, grpc.StatusCode.CANCELLED])
def test_another_status_can_be_the_expected_one(tmp_path: Path, status: grpc.StatusCode) -> None:
    with grpc_server(status) as server:
        plan = plan_for("grpc", server.port, iterations(2), operations=[put_operation(grpc_expect=status.name)])
        outcome = run_engine(tmp_path, plan)
    assert outcome.of("phase_end")[0]["ok"] == 2


def test_a_call_without_a_reply_times_out(tmp_path: Path) -> None:
    with grpc_server(silent=True) as server:
        outcome = run_engine(tmp_path, plan_for("grpc", server.port, iterations(2), timeout_ms=300))
    assert outcome.of("phase_end")[0]["errors"] == {"timeout": 2}


def test_refused_connections_are_counted(tmp_path: Path) -> None:
    with grpc_server() as server:
        port = server.port
    outcome = run_engine(tmp_path, plan_for("grpc", port, iterations(3)))
    [phase] = outcome.of("phase_end")
    assert (phase["sent"], phase["ok"], phase["errors"]) == (3, 0, {"refused": 3})
    assert phase["by_operation"]["put"]["errors"] == {"refused": 3}
    assert phase["service_histogram"] is None


def test_wrong_replies_are_malformed(tmp_path: Path) -> None:
    with grpc_server(answer={"stored": False}) as server:
        outcome = run_engine(tmp_path, plan_for("grpc", server.port, iterations(2), verify_share=1))
    [phase] = outcome.of("phase_end")
    assert phase["errors"] == {"malformed": 2}
    put = phase["by_operation"]["put"]
    assert (put["statuses"], put["checked"], put["checks_failed"]) == ({"OK": 2}, 2, 2)


def test_batches_carry_events_in_one_message(tmp_path: Path) -> None:
    batch = {"method": "probe.Store/PutAll", "expect": "OK", "field": "members", "reply": {"/refused": 0}}
    with grpc_server() as server:
        plan = plan_for("grpc", server.port, iterations(2), batch=batch, batch_size=3, verify_share=1)
        outcome = run_engine(tmp_path, plan)
    ids = [[item["id"] for item in json.loads(seen.body)["members"]] for seen in server.seen]
    assert ids == [["item-0-0", "item-0-1", "item-0-2"], ["item-0-3", "item-0-4", "item-0-5"]]
    assert outcome.of("phase_end")[0]["operations"] == 6


def test_a_message_that_the_method_does_not_take_ends_the_run(tmp_path: Path) -> None:
    operation = put_operation()
    operation["variants"] = [['{"colour":"red"}']]
    with grpc_server() as server:
        outcome = run_engine(tmp_path, plan_for("grpc", server.port, held(2, 5000), operations=[operation]))
    assert outcome.status == 1
    assert outcome.end["reason"] == "failed"
    assert "colour" in outcome.of("note")[-1]["message"]


def test_the_script_runs_by_itself_from_the_proto_file(tmp_path: Path) -> None:
    (tmp_path / "probe.proto").write_text(PROTO)
    with grpc_server() as server:
        plan = plan_for("grpc", server.port, iterations(2))
        plan["proto"] |= {"file": str(tmp_path / "probe.proto"), "import_path": str(tmp_path)}
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        script = ENGINE.parent / "grpc-api-test.js"
        command = [str(k6_path()), "run", "--address=", "--env", f"BAKEOFF_PLAN={tmp_path / 'plan.json'}", str(script)]
        subprocess.run(command, check=True, capture_output=True, timeout=DEADLINE_SECONDS)
    assert len(server.seen) == 2
