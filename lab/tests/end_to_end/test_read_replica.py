"""`./bakeoff run --read-replica`: a real target reads from a replica, and its reads are as right as without one."""

import json
from pathlib import Path

import pytest
from bakeoff_process import bakeoff
from metrics_databases import metrics
from running_targets import target_named

from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

TARGET = "grpc-user-service-rest"


def test_reads_from_a_replica_conform_and_show_what_was_acknowledged(
    project: Project, database: Server, results: Path
) -> None:
    if target_named(project, TARGET).missing:
        pytest.skip(f"{TARGET} cannot be built here")
    arguments = ["run", "quick", "-t", TARGET, "--read-replica", "--mix", "all", "--users", "16", "--prove"]
    arguments += ["--phase-duration", "2s", "--warm-up", "1s"]
    done = bakeoff(project, *arguments, results=results, environment=metrics(database))
    assert done.returncode == 0, done.stdout + done.stderr
    runs = [json.loads(file.read_text("utf-8")) for file in (results / TARGET).glob("*.json")]
    (run,) = [each for each in runs if each["mode"] == "quick"]
    assert (run["status"], run["audit"]["verdict"], run["durability"]) == ("completed", "clean", "proven")
    assert run["settings"]["read_replica"] == "on"
    assert run["total"]["failed"] == 0
    assert "read-replica" in {finding["kind"] for finding in run["findings"]}
    # Its reads, which are more than a few.
    assert int(run["environment"]["replica_transactions"]) > 20


def test_a_target_that_cannot_read_from_one_is_refused_before_it_is_built(project: Project, results: Path) -> None:
    done = bakeoff(project, "run", "smoke", "-t", "user-service-rust-rest", "--read-replica", results=results)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "is for targets that name a read_url_variable" in " ".join(done.stderr.split())
    assert not results.exists()
