"""The k6 engine as an agent: it reports when k6 is ready, and k6 begins when it is instructed to, not before.

A script takes the place of k6 and answers on the address of k6's API.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from k6_engine import session
from k6_engine.k6_process import K6Error
from k6_engine.phase_book import PhaseBook
from k6_engine.plan import plan_of
from k6_engine.records import Stream
from k6_engine.rows import HEADER
from k6_harness import DEADLINE_SECONDS, ENGINE, Record, as_text, checked_records, held, iterations, plan_for

from bakeoff.processes.children import kill_tree

# Waits like `k6 run --paused`. Resumed, it reports two requests of the first phase, and leaves a file that shows it.
FAKE = (
    f"HEADER = {HEADER.decode()!r}"
    + """
import http.server, json, signal, sys, time
from pathlib import Path
if sys.argv[1] == "version":
    print("k6 v0.0.0")
    sys.exit()
folder = Path(__file__).parent
signal.signal(signal.SIGINT, lambda *_: sys.exit(105))
(folder / "arguments.json").write_text(json.dumps(sys.argv))
option = {word.partition("=")[0]: word.partition("=")[2] for word in sys.argv}
host, port = option["--address"].split(":")
class Api(http.server.BaseHTTPRequestHandler):
    is_resumed = False
    def reply(self):
        document = {"data": {"type": "status", "id": "default", "attributes": {"status": 7 if Api.is_resumed else 4}}}
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
    do_GET = reply
    def do_PATCH(self):
        document = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert document["data"]["attributes"] == {"paused": False} and "--paused" in option
        Api.is_resumed = True
        self.reply()
    def log_message(self, *_):
        pass
print(HEADER, flush=True)
server = http.server.HTTPServer((host, int(port)), Api)
while not Api.is_resumed:
    server.handle_request()
(folder / "resumed").touch()
now_us = time.time_ns() // 1000
print(f"phase_entered,{now_us},{now_us / 1000:f},,,,phase=0,")
for after_us in (1000, 2000):
    print(f"http_req_duration,{now_us + after_us},0.5,,0,200,phase=0,", flush=True)
"""
)


class Agent:
    """The engine as the lab starts it."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.records: list[Record] = []

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def read(self) -> Record:
        assert self.process.stdout is not None
        (record,) = checked_records(self.process.stdout.readline())
        self.records.append(record)
        return record

    def until(self, kind: str) -> Record:
        while (record := self.read())["type"] != kind:
            pass
        return record

    def ended(self) -> int:
        """Its status, once it has ended by itself: its input stays open."""
        assert self.process.stdout is not None and self.process.stderr is not None
        deadline = threading.Timer(DEADLINE_SECONDS, self.process.kill)
        deadline.start()
        try:
            self.records += checked_records(self.process.stdout.read())
            assert "Traceback" not in self.process.stderr.read()
            return self.process.wait()
        finally:
            deadline.cancel()

    @property
    def is_resumed(self) -> bool:
        return (self.folder / "resumed").exists()

    @property
    def arguments(self) -> list[str]:
        given: list[str] = json.loads((self.folder / "arguments.json").read_text())
        return given


@contextmanager
def agent(folder: Path, plan: dict[str, Any], share: str = "1/1", k6: str = FAKE) -> Iterator[Agent]:
    fake = folder / "k6"
    fake.write_text(f"#!{sys.executable}\n{k6}")
    fake.chmod(0o755)
    command = [sys.executable, str(ENGINE), "--k6", str(fake), "--plan", "-", "--agent", share]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            own = Agent(process, folder)
            own.send(as_text(plan))
            yield own
        finally:
            if process.poll() is None:
                kill_tree(process.pid)


def test_k6_begins_when_it_is_instructed_to(tmp_path: Path) -> None:
    with agent(tmp_path, plan_for("http", 1, iterations(5, users=5)), "2/2") as own:
        ready = own.until("ready")
        assert (ready["phase"], ready["last_phase"]) == (0, 0)
        own.send("clock 41")
        assert own.read()["id"] == 41
        own.send("clock 42")
        clock = own.read()
        assert (clock["type"], clock["id"]) == ("clock", 42)
        assert clock["time_unix_ns"] > ready["time_unix_ns"]
        # A clock that is answered shows that the engine waits still.
        assert not own.is_resumed
        at_ns = clock["time_unix_ns"] + 300_000_000
        own.send(f"go {at_ns}")
        start = own.until("phase_start")
        assert start["time_unix_ns"] >= at_ns
        assert own.ended() == 0
    assert own.records[0]["version"] == 1
    assert (own.records[0]["connections"], start["virtual_users"]) == (2, 2)
    assert own.records[-1]["reason"] == "completed"
    assert [record["ok"] for record in own.records if record["type"] == "phase_end"] == [2]
    assert {"--execution-segment=1/2:1", "--execution-segment-sequence=0,1/2,1"} <= set(own.arguments)


def test_the_only_agent_has_the_whole_and_starts_at_once(tmp_path: Path) -> None:
    with agent(tmp_path, plan_for("http", 1, iterations(2))) as own:
        own.until("ready")
        own.send("go")
        assert own.ended() == 0
    assert not [word for word in own.arguments if "segment" in word]


def test_one_go_starts_all_phases_of_a_group(tmp_path: Path) -> None:
    plan = plan_for("http", 1, iterations(2), iterations(2), held(2, 500), held(1, 500))
    with agent(tmp_path, plan) as own:
        first = own.until("ready")
        own.send("go")
        # Each k6 process waits for its own instruction.
        second = own.until("ready")
        assert [record["type"] for record in own.records].count("phase_start") == 1
    assert [(ready["phase"], ready["last_phase"]) for ready in (first, second)] == [(0, 0), (1, 1)]


def test_phases_of_one_process_are_announced_together(tmp_path: Path) -> None:
    with agent(tmp_path, plan_for("http", 1, held(2, 500), held(1, 500))) as own:
        ready = own.until("ready")
    assert (ready["phase"], ready["last_phase"]) == (0, 1)


@pytest.mark.parametrize("ends_by", ["stop", "the end of the input"])
def test_it_ends_while_it_waits(tmp_path: Path, ends_by: str) -> None:
    with agent(tmp_path, plan_for("http", 1, held(1, 60_000))) as own:
        own.until("ready")
        (k6,) = psutil.Process(own.process.pid).children()
        if ends_by == "stop":
            own.send("stop")
        else:
            own.close()
        assert own.ended() == 0
        assert not k6.is_running()
    assert own.records[-1]["reason"] == "interrupted"
    assert not own.is_resumed


def test_a_k6_that_ends_before_it_is_ready_is_a_failure(tmp_path: Path) -> None:
    dies = 'import sys\nprint("k6 v0.0.0")\nif sys.argv[1] != "version": sys.exit("no such port")'
    with agent(tmp_path, plan_for("http", 1, held(1, 60_000)), k6=dies) as own:
        assert own.ended() == 1
    assert own.records[-1]["message"] == "k6 ended with status 1: no such port"


def test_a_share_of_nothing_and_a_missing_plan_are_refused(tmp_path: Path) -> None:
    with agent(tmp_path, plan_for("http", 1, held(1, 60_000)), "2/2") as own:
        assert own.ended() == 2
    assert "agent 2 of 2 has none of the 1 users" in own.records[-1]["message"]
    command = [sys.executable, str(ENGINE), "--plan", "-"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "error: standard input ended before the plan, which is its first line\n",
    )


class SilentK6:
    """Wrote one line, and then nothing for ever."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self._blocks = [b"", b"vus\n"]

    def read(self, timeout_s: float) -> bytes:  # noqa: ARG002 — as the process has it
        self.now_s += 1
        return self._blocks.pop() if self._blocks else b""


def test_a_k6_that_stalls_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes its users every second; without a row the engine would go on and report seconds without requests."""
    k6: Any = SilentK6()
    monkeypatch.setattr(session, "time", SimpleNamespace(monotonic=lambda: k6.now_s, time_ns=lambda: 0))
    plan = plan_of(as_text(plan_for("http", 1, held(1, 60_000))).encode(), "of a test")
    stream = Stream(sys.stdout)
    (group,) = plan.groups()
    with pytest.raises(K6Error, match="k6 stalled: it wrote nothing for 4 s"):
        session.Session(plan, Path("k6"), stream, lambda: False)._follow(k6, PhaseBook(plan, group, stream))
    assert k6.now_s == 106
