"""`--json` of the commands that measure: one document on standard output, and words beside it."""

import json
from pathlib import Path

import pytest
from bakeoff_process import bakeoff
from metrics_databases import metrics

from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

REST = "producer-api-rust-rest"
SHORT = ("--phase-duration", "500ms", "--warm-up", "0", "--target", REST, "--json")


def test_a_run_prints_what_its_report_holds(project: Project, database: Server, results: Path) -> None:
    environment = metrics(database)
    done = bakeoff(project, "run", "quick", "--users", "2", *SHORT, results=results, environment=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["judgement"]["comparison_id"] == 1
    assert "Rust REST reached" in done.stderr
    report = ("report", "--format", "json", "--output", "-")
    written = bakeoff(project, *report, results=results, environment=environment)
    assert done.stdout == written.stdout


def test_a_run_of_which_nothing_is_stored_prints_no_document(project: Project, database: Server, results: Path) -> None:
    environment = metrics(database)
    wrong = ("--write-mode", "per-request", "--set", "pool_size=none")
    done = bakeoff(project, "run", "quick", *SHORT, *wrong, results=results, environment=environment)
    assert (done.returncode != 0, done.stdout) == (True, "")


def test_a_search_prints_its_trials(project: Project, database: Server, results: Path) -> None:
    rate = ("run", "rate", "--rate", "1", "--slo", "p99<1us")
    done = bakeoff(project, *rate, *SHORT, results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["slo"] == "p99<1us,errors<5%"
    (capacity,) = found["capacities"]
    assert (capacity["target"], capacity["rate_per_s"]) == (REST, None)
    assert [(trial["rate_per_s"], trial["holds"]) for trial in capacity["trials"]] == [(1, False)]


def test_conformance_is_told_for_each_target(project: Project, results: Path) -> None:
    done = bakeoff(project, "conform", REST, "--json", results=results)
    assert done.returncode == 0, done.stderr
    (target,) = json.loads(done.stdout)["targets"]
    assert (target["target"], target["conforms"], target["profile"]) == (REST, True, "core")
    assert target["cases"] > 0
