"""`--json` of the commands that measure: one document on standard output, and words beside it."""

import json
from pathlib import Path

import pytest
from bakeoff_process import bakeoff
from metrics_databases import metrics

from bakeoff.postgres.server import Server
from bakeoff.project import Project
from otlp_collector import attributes_of, collecting, replying

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


def test_a_run_writes_and_sends_its_figures(project: Project, database: Server, results: Path) -> None:
    environment = {**metrics(database), "NO_PROXY": "*"}
    file = results.parent / "textfiles" / "bakeoff.prom"
    two_rounds = ("run", "quick", "--users", "2", "--rounds", "2", *SHORT)
    with collecting(replying(200)) as collector:
        outputs = ("--prometheus", str(file), "--otlp", collector.url)
        done = bakeoff(project, *two_rounds, *outputs, results=results, environment=environment)
    assert done.returncode == 0, done.stderr
    assert "figures were not sent" not in done.stderr
    ((resource, by_name),) = collector.resources
    assert (resource["service.name"], resource["bakeoff.comparison"]) == (REST, "1")
    requests = {attributes_of(each)["bakeoff.round"]: each for each in by_name["bakeoff.requests"].sum.data_points}
    times = by_name["http.client.request.duration"].exponential_histogram.data_points
    lines = [line for line in file.read_text("utf-8").splitlines() if line.startswith("bakeoff_run_requests_total{")]
    assert requests.keys() == {"1", "2"}
    for line, (number, point) in zip(lines, sorted(requests.items()), strict=True):
        assert (f'round="{number}"' in line, float(line.rpartition(" ")[2])) == (True, point.as_int)
        of_round = [each for each in times if attributes_of(each)["bakeoff.round"] == number]
        assert 0 < sum(each.count for each in of_round) <= point.as_int


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
