"""`./bakeoff run --pgbouncer`: targets reach their database through it, and the audit reads the server."""

import json
from pathlib import Path

import pytest
from bakeoff_process import bakeoff
from metrics_databases import metrics
from running_targets import target_named

from bakeoff.errors import BakeoffError
from bakeoff.postgres.pooler import find_pgbouncer
from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

TARGET = "producer-api-go-rest"


@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_a_smoke_run_through_pgbouncer_conforms_and_is_audited(
    project: Project, database: Server, results: Path, mode: str
) -> None:
    if target_named(project, TARGET).missing:
        pytest.skip(f"{TARGET} cannot be built here")
    try:
        find_pgbouncer(mode)
    except BakeoffError as error:
        pytest.skip(error.message)
    arguments = ["run", "smoke", "-t", TARGET, "--pgbouncer", mode, "--prove"]
    done = bakeoff(project, *arguments, results=results, environment=metrics(database))
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = (results / TARGET).glob("*.json")
    run = json.loads(file.read_text("utf-8"))
    assert (run["status"], run["audit"]["verdict"]) == ("completed", "clean")
    assert run["settings"]["pgbouncer"] == mode
    assert set(run["total"]["processes"]) == {TARGET, "pgbouncer"}
