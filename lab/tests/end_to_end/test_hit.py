"""`bakeoff hit` against the engine's null server: a URL measured from the command line alone."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from bakeoff_process import bakeoff

from bakeoff.engines.manifest import find_engine
from bakeoff.processes import children, ports
from bakeoff.project import Project
from build_once import build_once

pytestmark = pytest.mark.end_to_end


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    engine = find_engine("native")
    build_once(engine.build)
    port = ports.free_port()
    server = children.start(engine.null_command(port), log=tmp_path / "null.log")
    try:
        children.wait_until_listening(server, port, tmp_path / "null.log")
        yield f"http://127.0.0.1:{port}/any"
    finally:
        children.stop(server, signal.SIGTERM, timeout_s=5)


def test_a_count_of_requests_is_sent_and_answered(empty_checkout: Project, url: str, results: Path) -> None:
    done = bakeoff(empty_checkout, "hit", url, "-n", "500", "-u", "8", "-d", '{"a": 1}', "--json", results=results)
    assert done.returncode == 0, done.stderr
    hit = json.loads(done.stdout)
    assert (hit["method"], hit["requests"], hit["ok"], hit["statuses"]) == ("POST", 500, 500, {"200": 500})
    assert hit["capacity_per_s"] > 0


def test_another_status_than_the_expected_one_fails_the_command(
    empty_checkout: Project, url: str, results: Path
) -> None:
    done = bakeoff(empty_checkout, "hit", url, "-n", "20", "--expect", "204", results=results)
    assert done.returncode == 1
    assert "200: 20" in done.stdout
