"""A trial distinguishes a target that holds from planted ones that hoard, hang or end."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.hostile.kinds import Kind, Step, kinds_of
from bakeoff.hostile.text import trial_table
from bakeoff.hostile.trial import Trial, _lost, _trial, kinds_for, within_descriptors
from bakeoff.processes import children, ports
from bakeoff.running.service import Service
from bakeoff.running.testbed import Testbed
from bakeoff.targets.access import Access
from bakeoff.text.table import text_of
from bakeoff.workload.loader import Workload
from made_up_manifests import declared, target

HOLDS = Trial("kind", 4, 10, False, 0, 0, 0.01, 0, 0)

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
                hoard.append(bytearray(b"x" * (400 << 20)))
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
    seconds=1.0,
)


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


@pytest.mark.parametrize(("fault", "words"), [("none", ""), ("hoards", "more than 256 MB"), ("ends", "not answered")])
def test_planted_faults_are_found(fault: str, words: str, tmp_path: Path) -> None:
    testbed = cast(Testbed, SimpleNamespace(server=None))
    with planted(fault, tmp_path / "log") as service:
        trial = _trial(testbed, WORKLOAD, "rest", service, KIND, returned_within_s=0.5)
    faults = [each for each in trial.faults if "waited" not in each]
    assert (words in "; ".join(faults)) if words else faults == []
    assert trial.connections == KIND.connections


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ended": True}, "the target ended"),
        ({"most_bytes": (256 << 20) + 1}, "more than 256 MB"),
        ({"slowest_s": 0.26}, "another client waited over 250 ms"),
        ({"unanswered": 1}, "another client was not answered"),
        ({"lost": 1}, "acknowledged writes were lost"),
    ],
)
def test_each_rule_counts(change: dict[str, Any], words: str) -> None:
    assert HOLDS.faults == []
    assert replace(HOLDS, **change).faults == [words]


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
            _trial(testbed, WORKLOAD, "rest", service, KIND, returned_within_s=0.5)
