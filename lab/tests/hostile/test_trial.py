"""A trial distinguishes a target that holds from planted ones that hoard, hang or end."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from bakeoff.errors import BakeoffError
from bakeoff.hostile.attack import Attack
from bakeoff.hostile.kinds import Kind, Step, kinds_of
from bakeoff.hostile.text import described, trial_table
from bakeoff.hostile.trial import (
    Stall,
    Trial,
    _attacker,
    _ends,
    _limit_s,
    _lost,
    _report,
    _trial,
    kinds_for,
    within_descriptors,
)
from bakeoff.processes import children, ports
from bakeoff.running.service import Service
from bakeoff.running.testbed import Testbed
from bakeoff.targets.access import Access
from bakeoff.targets.hostile_limits import HostileTable
from bakeoff.targets.manifest import DeclaredSetting
from bakeoff.text.table import text_of
from bakeoff.workload.loader import Workload
from made_up_manifests import declared, target

FIGURES = {"memory_mb": 256, "answered_ms": 250, "kept_mb": 100, "kept_s": 0.5, "ended_s": 60}

SERVER = """
import http.server, os, sys, time
hoard = []

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        if length > 1000:
            if sys.argv[2] == "ends":
                os._exit(3)
            if sys.argv[2] == "hoards":
                hoard.append(bytearray(b"x" * (80 << 20)))
            if sys.argv[2] == "keeps":
                hoard.append(bytearray(b"x" * (35 << 20)))
            if sys.argv[2] == "waits":
                self.rfile.read(length)
            self.close_connection = True
            return
        self.rfile.read(length)
        if sys.argv[2] == "refuses" and hoard:
            self.send_response(503)
        hoard.append(b"")
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
WORKLOAD = Workload("things", Path("/nowhere"), declared(
    operations=[{"name": "Create", "http": {"method": "POST", "path": "/things", "expect": 200}, "message": "{}"}]
))  # fmt: skip
KIND = Kind(
    name="half-sent",
    send=[Step(text="{method} {path} HTTP/1.1\r\n{headers}Content-Length: 5000\r\n\r\n"), Step(body=5_000, less=1)],
    seconds=30.0,
    stalls="body",
    holds=FIGURES,
)
HOLDS = Trial("kind", KIND.must_hold(), 4, 10, False, 0, 0, 0.0, 0.01, 0, 0)


@contextmanager
def planted(fault: str, log: Path) -> Iterator[Service]:
    port = ports.free_port()
    process: subprocess.Popen[bytes] = children.start([sys.executable, "-c", SERVER, str(port), fault], log=log)
    try:
        children.wait_until_listening(process, port, log)
        service = SimpleNamespace(
            access=Access("127.0.0.1", port), pids={"server": process.pid}, has_ended=False, process=process
        )
        yield cast(Service, service)
    finally:
        children.kill_session(process)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("none", ""),
        ("hoards", "more than 256 MB"),
        ("keeps", "keeps more than 100 MB after 0.5 s"),
        ("ends", "not answered"),
    ],
)
def test_planted_faults_are_found(fault: str, words: str, tmp_path: Path) -> None:
    testbed = cast(Testbed, SimpleNamespace(server=None))
    with planted(fault, tmp_path / "log") as service:
        trial = _trial(testbed, WORKLOAD, "rest", service, KIND)
    faults = [each for each in trial.faults if "waited" not in each]
    assert (words in "; ".join(faults)) if words else faults == []
    assert trial.connections == KIND.connections


def test_an_attacker_that_does_not_come_to_its_end_reports_what_it_did() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        kind = msgspec.structs.replace(KIND, connections=1, seconds=1000.0)
        host, port = server.getsockname()
        attack = Attack(kind, "http1", host, port, "POST", "/things", {}, b"{}", 0)
        with _attacker(attack) as attacker:
            connection, _ = server.accept()
            with connection:
                assert connection.recv(4) == b"POST"
                report = _report("half-sent", attacker, within_s=0.0)
    assert (report.connected, report.sent_bytes > 0) == (1, True)


@pytest.mark.parametrize(("fault", "limit_s"), [("none", 30.0), ("ends", 30.0), ("waits", 0.3)])
def test_a_planted_target_that_never_ends_a_stalled_request_is_found(
    fault: str, limit_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bakeoff.hostile.trial.STALL_MARGIN_S", 0.3)
    with planted(fault, tmp_path / "log") as service:
        found = _ends(WORKLOAD, "rest", service, [KIND], {KIND.name: limit_s})
    assert found[KIND.name].within_s == limit_s
    assert found[KIND.name].is_ended is (fault != "waits")


def test_the_time_of_a_stalled_request_is_the_targets_or_the_contracts() -> None:
    def limit_s(hostile: HostileTable) -> float:
        settings = {"read": DeclaredSetting("READ", "30s")}
        return _limit_s(target("one", settings=settings, hostile=hostile), KIND)

    assert limit_s(HostileTable()) == 60
    assert limit_s(HostileTable(head_timeout="5s")) == 60
    assert limit_s(HostileTable(body_timeout="10s")) == 10
    assert limit_s(HostileTable(body_timeout="read")) == 30
    assert limit_s(HostileTable(body_timeout="5m")) == 120


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ended": True}, "the target ended"),
        ({"most_bytes": 256_000_001}, "more than 256 MB"),
        ({"slowest_s": 0.26}, "another client waited over 250 ms"),
        ({"unanswered": 1}, "another client was not answered"),
        ({"lost": 1}, "acknowledged writes were lost"),
        ({"returned_s": None}, "keeps more than 100 MB after 0.5 s"),
        ({"stall": Stall(60.0, None)}, "a stalled request is not ended within 60 s"),
    ],
)
def test_each_rule_counts(change: dict[str, Any], words: str) -> None:
    assert HOLDS.faults == []
    assert replace(HOLDS, stall=Stall(60.0, 59.0)).faults == []
    assert replace(HOLDS, **change).faults == [words]


def test_memory_that_a_target_explains_is_shown_and_no_fault() -> None:
    explained = replace(HOLDS, returned_s=None, kept_bytes=181_000_000, keeps_memory="The heap does not shrink.")
    assert explained.faults == []
    text = text_of(trial_table("a-target", [HOLDS, explained]))
    assert "181  not" in text.replace("     ", "  ")
    assert "It keeps memory: The heap does not shrink." in text
    assert "It keeps" not in text_of(trial_table("a-target", [HOLDS]))


@pytest.mark.parametrize(
    ("creates", "acknowledged", "lost"),
    [
        (None, ["7", "8"], 0),
        (None, ["7", "9"], 1),
        ("user", ["anna", "bert"], 0),
        ("user", ["anna", "bert", "carl"], 1),
    ],
)
def test_keys_that_the_target_assigns_are_counted(
    monkeypatch: pytest.MonkeyPatch, creates: str | None, acknowledged: list[str], lost: int
) -> None:
    rows = SimpleNamespace(all=lambda: {("7",): {}, ("8",): {}})
    monkeypatch.setattr("bakeoff.hostile.trial.PostgresRows", lambda _connection, _audit: rows)
    testbed: Any = SimpleNamespace(server=SimpleNamespace(connect=nullcontext))
    declared = SimpleNamespace(operations=[SimpleNamespace(creates=creates)])
    workload: Any = SimpleNamespace(sql=lambda _name: "SELECT", declared=declared)
    assert _lost(testbed, workload, acknowledged) == lost


def test_the_table_sums_up() -> None:
    text = text_of(trial_table("a-target", [HOLDS, replace(HOLDS, kind="other", most_bytes=300_000_000)]))
    assert "It holds under 1 of 2 kinds of hostile connections, most memory 300 MB." in text


def test_a_trial_as_json_has_what_must_hold() -> None:
    written = json.loads(json.dumps(described(replace(HOLDS, ended=True, stall=Stall(60.0, 31.5)))))
    assert (written["faults"], written["stall"]) == (["the target ended"], {"within_s": 60.0, "ended_s": 31.5})
    assert written["must_hold"] == FIGURES


def test_a_target_meets_the_kinds_that_it_can() -> None:
    small = {kind.name for kind in kinds_for(target("plain", protocol="rest"), WORKLOAD)}
    secured = target("secured", protocol="rest", settings={"tls_cert_file": "TLS_CERT_FILE"})
    with_tls = {kind.name for kind in kinds_for(secured, WORKLOAD)}
    assert with_tls - small == {"half-open TLS handshakes"}
    assert {kind.name for kind in kinds_of("http1")} - with_tls == {"half-sent large bodies"}


@pytest.mark.parametrize(("limit", "connections"), [(1_024, 824), (20_000, 5_000), (100, 1)])
def test_no_more_connections_than_a_target_can_hold(limit: int, connections: int) -> None:
    assert within_descriptors(Kind(name="idle", send=[], connections=5_000), limit).connections == connections


def test_an_attack_that_fails_is_no_target_that_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    testbed = cast(Testbed, SimpleNamespace(server=None))
    with planted("none", tmp_path / "log") as service:
        monkeypatch.setattr("bakeoff.hostile.trial.sys.executable", "/bin/false")
        with pytest.raises(BakeoffError, match="half-sent: the process that opens the connections failed"):
            _trial(testbed, WORKLOAD, "rest", service, KIND)
