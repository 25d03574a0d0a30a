"""`./bakeoff serve` as a person types it, and the live page during a real run."""

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
from bakeoff_process import bakeoff, bakeoff_started, interrupt
from metrics_databases import metrics

from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

TARGET = "producer-api-rust-rest"
_TIMEOUT_S = 60.0


@contextmanager
def served(
    project: Project, *options: str, results: Path, environment: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process that serves on a free port, and the address that it printed."""
    process = bakeoff_started(project, "serve", "--port", "0", *options, results=results, environment=environment)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        address, _, advice = line.partition(" ")
        assert advice == "(Ctrl-C stops)\n", line + process.stdout.read()
        yield process, address
    finally:
        if process.poll() is None:
            interrupt(process)
            process.communicate(timeout=_TIMEOUT_S)


def states(address: str) -> Iterator[dict[str, Any] | None]:
    """The messages of the live page, as they arrive."""
    with httpx2.stream("GET", f"{address}live/events", timeout=_TIMEOUT_S) as events:
        for line in events.iter_lines():
            if line:
                yield json.loads(line.removeprefix("data: "))


@pytest.mark.parametrize("token", ["", "short", "with\ttab and more", "ohne-Umlaut-geht-es-nicht-ä"])
def test_a_token_that_cannot_protect_is_refused(project: Project, results: Path, token: str) -> None:
    done = bakeoff(project, "serve", "--port", "0", "--token", token, results=results)
    assert done.returncode == 2
    assert "--token must have 8 to 256 printable ASCII characters" in done.stderr


def test_a_port_that_is_taken_is_named(project: Project, results: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = bakeoff(project, "serve", "--port", str(port), results=results)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"Cannot listen on 127.0.0.1, port {port}: Address already in use. Choose another --port" in done.stderr


def test_the_printed_address_answers_and_an_empty_history_is_shown(
    project: Project, database: Server, results: Path
) -> None:
    with served(project, results=results, environment=metrics(database)) as (_, address):
        assert address.startswith("http://127.0.0.1:") and "token" not in address
        reply = httpx2.get(address, follow_redirects=True)
        assert (reply.status_code, reply.url.path) == (200, "/comparisons")
        for page, words in (
            ("comparisons", "No comparison matches"),
            ("runs", "No run matches"),
            ("trends", "No completed run"),
        ):
            assert words in httpx2.get(address + page).text


def test_where_others_can_reach_it_a_token_is_needed(project: Project, database: Server, results: Path) -> None:
    with (
        served(project, "--host", "0.0.0.0", results=results, environment=metrics(database)) as (_, address),
        httpx2.Client(follow_redirects=True) as reader,
    ):
        bare, _, token = address.partition("?token=")
        assert len(token) >= 32
        assert reader.get(bare).status_code == 401
        assert reader.get(address).status_code == 200
        # The token has become a cookie.
        assert reader.get(f"{bare}runs").status_code == 200


def test_ctrl_c_ends_it_quietly_and_leaves_no_process(project: Project, results: Path) -> None:
    with served(project, results=results, environment={}) as (process, address):
        following = states(address)
        next(following)
        children = psutil.Process(process.pid).children(recursive=True)
        interrupt(process)
        assert list(following) == []
        said, _ = process.communicate(timeout=_TIMEOUT_S)
        assert (process.returncode, said) == (0, "")
    _, alive = psutil.wait_procs(children, timeout=_TIMEOUT_S)
    assert alive == []
    assert ports.port_is_free(int(address.rpartition(":")[2].rstrip("/")))


def test_the_live_page_follows_a_run_of_another_process(project: Project, database: Server, results: Path) -> None:
    environment = metrics(database)
    with served(project, results=results, environment=environment) as (_, address):
        following = states(address)
        assert next(following) is None
        run = bakeoff_started(
            project, "run", "quick", "--phase-duration", "1s", "--warm-up", "1s", "--users", "2", "-t", TARGET,
            results=results, environment=environment,
        )  # fmt: skip
        seen = []
        for state in following:
            if state is None:
                break
            seen.append(state)
        said, _ = run.communicate(timeout=_TIMEOUT_S)
        assert run.returncode == 0, said
        assert {state["pid"] for state in seen} == {run.pid}
        assert any(state["phase"].endswith("2 virtual users") for state in seen)
        assert any(state["rates_per_s"] and state["rates_per_s"][-1] > 0 for state in seen)
        assert TARGET in httpx2.get(f"{address}comparisons/1", timeout=_TIMEOUT_S).text
