"""`./bakeoff run --overlay`: a real target on a partitioned table, audited; and what is refused before it is built."""

import json
from pathlib import Path

import pytest
from bakeoff_process import bakeoff
from metrics_databases import metrics
from running_targets import target_named

from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.workload.loader import load_workload

pytestmark = pytest.mark.end_to_end

TARGET = "producer-api-go-rest"


def test_a_partitioned_table_conforms_and_is_audited(project: Project, database: Server, results: Path) -> None:
    if target_named(project, TARGET).missing:
        pytest.skip(f"{TARGET} cannot be built here")
    arguments = ["run", "smoke", "-t", TARGET, "--overlay", "partitioned", "--preload", "1000", "--prove"]
    done = bakeoff(project, *arguments, results=results, environment=metrics(database))
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = (results / TARGET).glob("*.json")
    run = json.loads(file.read_text("utf-8"))
    assert (run["status"], run["audit"]["verdict"], run["durability"]) == ("completed", "clean", "declared")
    assert run["settings"]["overlay"] == "partitioned"
    assert len(run["environment"]["overlay_sha256"]) == 64
    assert run["database_activity"]["rows_inserted"] + run["database_activity"]["rows_updated"] > 0


@pytest.mark.parametrize(
    ("overlay", "status", "words"),
    [
        ("partitoned", 2, "Overlays of events: citus, partitioned. Did you mean partitioned?"),
        ("citus", 1, "needs the PostgreSQL extension citus, which the embedded PostgreSQL does not have"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_built(
    project: Project, results: Path, overlay: str, status: int, words: str
) -> None:
    assert overlay in load_workload(project, "events").overlays or status == 2
    done = bakeoff(project, "run", "smoke", "-t", TARGET, "--overlay", overlay, results=results)
    assert done.returncode == status, done.stdout + done.stderr
    assert words in " ".join(done.stderr.split())
    assert "starting" not in done.stderr
    assert "building" not in done.stderr
    assert not results.exists()
