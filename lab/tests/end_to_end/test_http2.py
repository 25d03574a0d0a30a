"""REST over HTTP/2 inside TLS, from the command line to the stored run."""

import json
from pathlib import Path

import pytest
from bakeoff_process import bakeoff
from metrics_databases import metrics, stored

from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end
pytest_plugins = ["shared_server"]

REST = "producer-api-rust-rest"


def test_rest_is_measured_over_http2_and_tls(project: Project, database: Server, results: Path) -> None:
    environment = metrics(database)
    short = ("--phase-duration", "500ms", "--warm-up", "0", "--users", "8", "--connections", "2")
    options = ("--target", REST, "--tls", "--http-version", "2", *short)
    done = bakeoff(project, "run", "quick", *options, results=results, environment=environment)
    assert done.returncode == 0, done.stderr
    rows = stored(
        database,
        "SELECT status, failed_requests, total_requests > 8, audit -> 'clean' FROM test_runs"
        " JOIN performance_metrics ON id = test_run_id WHERE test_mode = 'quick'",
    )
    assert rows == [("completed", 0, True, True)]
    (stream,) = (results / REST).glob("*-quick-default.stream.jsonl")
    ends = [json.loads(line) for line in stream.read_text().splitlines() if '"phase_end"' in line]
    # More users than connections: over HTTP/1.1 they would wait for one another.
    assert ends[0]["connections_opened"] == 2
