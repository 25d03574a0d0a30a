"""`bakeoff hit` against the engine's null server: a URL measured from the command line alone."""

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from bakeoff_process import bakeoff, bakeoff_started, interrupt
from scripted_servers import OK, serving

from bakeoff.engines.manifest import find_engine
from bakeoff.processes import children, ports
from bakeoff.project import Project
from build_once import build_once
from otlp_collector import attributes_of, bounds_at, collecting, replying

pytestmark = pytest.mark.end_to_end

NO_PROXY = {"NO_PROXY": "*"}


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


def test_a_collector_receives_the_figures_that_are_printed(empty_checkout: Project, url: str, results: Path) -> None:
    counted = ("hit", url, "-n", "500", "-u", "8", "--no-capacity", "--json")
    with collecting(replying(200)) as collector:
        done = bakeoff(empty_checkout, *counted, "--otlp", collector.url, results=results, environment=NO_PROXY)
    assert (done.returncode, done.stderr.count("figures were not sent")) == (0, 0), done.stderr
    hit = json.loads(done.stdout)
    ((resource, metrics),) = collector.resources
    (point,) = metrics["http.client.request.duration"].exponential_histogram.data_points
    assert resource["service.name"] == url.split("/")[2]
    assert (point.count, attributes_of(point)["url.full"]) == (500, url)
    for percentile, name in ((50, "p50"), (90, "p90"), (95, "p95")):
        above, up_to = bounds_at(point, percentile)
        assert above < hit["percentiles_ms"][name] / 1e3 <= up_to


def test_a_collector_that_takes_nothing_changes_nothing(empty_checkout: Project, url: str, results: Path) -> None:
    with collecting(replying(404)) as collector:
        counted = ("hit", f"--otlp={collector.url}", url, "-n", "20", "--no-capacity")
        done = bakeoff(empty_checkout, *counted, results=results, environment=NO_PROXY)
    assert (done.returncode, "20 sent, 20 good" in done.stdout) == (0, True), done.stderr
    assert f"The figures were not sent to {collector.url}/v1/metrics: 404 Not Found." in done.stderr


def test_a_wrong_address_of_a_collector_is_found_before_anything_is_sent(
    empty_checkout: Project, results: Path
) -> None:
    with serving(lambda _: OK) as server:
        done = bakeoff(empty_checkout, "hit", server.url, "-n", "5", "--otlp", "collector:4318", results=results)
    assert (done.returncode, done.stdout, server.requests) == (2, "", [])
    assert '--otlp: "collector:4318" is not the address of a collector' in done.stderr


def test_ctrl_c_sends_the_figures_so_far(empty_checkout: Project, results: Path) -> None:
    enough = threading.Event()

    def script(number: int) -> bytes:
        if number > 100:
            enough.set()
        return OK

    with serving(script) as server, collecting(replying(200)) as collector:
        options = ("hit", server.url, "-u", "2", "-d", "60s", "--warm-up", "0s", "--otlp", collector.url)
        process = bakeoff_started(empty_checkout, *options, results=results, environment=NO_PROXY)
        assert enough.wait(120)
        interrupt(process)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130, out
    assert "(interrupted)" in out
    ((_, metrics),) = collector.resources
    assert metrics["bakeoff.good"].sum.data_points[0].as_int > 50
