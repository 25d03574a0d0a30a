"""Targets that do not work: each is a paragraph of words, never a number, and the others are measured all the same."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import BakeoffError
from bakeoff.processes import children
from bakeoff.project import Project
from bakeoff.targets.health import HttpHealthCheck
from bakeoff.targets.manifest import find_targets
from bakeoff.targets.process import TargetProcess
from build_once import built_client
from checkouts import GALLERY, share_databases, throwaway

pytestmark = pytest.mark.end_to_end

MANIFEST = """
version = 1
name = "{name}"
workload = "events"
title = "A target that does not work"
language = "python"
protocol = "rest"
class = "standard"
[toolchain]
commands = ["python3"]
install = ""
[build]
directory = "."
command = {build}
inputs = ["service.py"]
artifact = "service.py"
[run]
command = ["{python}", "{{artifact}}"]
port_variable = "SERVER_PORT"
default_port = 8099
"""

CRASHES = "print('cannot open the vault: no key'); raise SystemExit(3)"
# Healthy, and wrong in every other way: it says yes to everything.
YES_MAN = """
import http.server, os
class YesMan(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    do_POST = do_GET
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["SERVER_PORT"])), YesMan).serve_forever()
"""

# Makes the table, and stores nothing in it.
LIAR = f"""
import os, psycopg
from pathlib import Path
schema = (Path({str(GALLERY.root / "contract")!r}) / "events" / "schema.sql").read_bytes()
psycopg.connect(os.environ["DATABASE_URL"], autocommit=True).execute(schema)
{YES_MAN}
"""


@pytest.fixture
def checkout(project: Project, own_databases: Project, tmp_path: Path) -> Iterator[Project]:
    """A checkout whose targets are the test's own, with everything else as shipped."""
    with throwaway(tmp_path / "a checkout") as checkout:
        (checkout.root / "contract").rmdir()
        (checkout.root / "contract").symlink_to(project.root / "contract")
        share_databases(own_databases, checkout)
        yield checkout


def add(checkout: Project, name: str, service: str, build: str = '["true"]') -> None:
    folder = checkout.root / "targets" / name
    folder.mkdir()
    (folder / "service.py").write_text(service)
    (folder / "target.toml").write_text(MANIFEST.format(name=name, python=sys.executable, build=build))


def run_smoke(checkout: Project) -> Comparison:
    return compare(checkout, ComparisonRequest("smoke", "a test"), PlainProgress(Console(quiet=True)))


def test_each_is_refused_with_its_reason(checkout: Project) -> None:
    add(checkout, "test-crashes", CRASHES)
    add(checkout, "test-yes-man", YES_MAN)
    add(checkout, "test-liar", LIAR)
    add(checkout, "test-unbuildable", "", '["sh", "-c", "echo error: expected a semicolon; exit 1"]')
    try:
        comparison = run_smoke(checkout)
    finally:
        for stamp in (checkout.state / "builds").glob("test-*.stamp"):
            stamp.unlink()
    reasons = comparison.not_measured
    assert comparison.failed
    assert comparison.runs == []
    assert "exited with status 3" in reasons["test-crashes"]
    assert "cannot open the vault: no key" in reasons["test-crashes"]
    assert "Does the target apply the workload's schema" in reasons["test-yes-man"]
    assert "conformance cases failed" in reasons["test-liar"]
    assert "./bakeoff conform test-liar" in reasons["test-liar"]
    assert "expected a semicolon" in reasons["test-unbuildable"]


def test_a_taken_port_is_named(checkout: Project, tmp_path: Path) -> None:
    add(checkout, "test-yes-man", YES_MAN)
    (target,) = find_targets(checkout)
    health = HttpHealthCheck(built_client(), "GET", "/", 200)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(BakeoffError, match=f"Port {port} is in use"),
            TargetProcess(target, None, health, tmp_path / "log", port=port),
        ):
            pass


def test_a_target_that_dies_later_tells_its_last_words(checkout: Project, tmp_path: Path) -> None:
    add(checkout, "test-yes-man", YES_MAN)
    (target,) = find_targets(checkout)
    with TargetProcess(target, None, HttpHealthCheck(built_client(), "GET", "/", 200), tmp_path / "log") as process:
        assert not process.has_ended
        children.kill_session(process._process)  # type: ignore[arg-type]
        process.wait()
        assert process.has_ended
        assert "exited with status -9" in process.ended_error().message
