"""`./bakeoff run equal` with a real target in two variants: the rate is found once, stored, and the same for both."""

import json
from pathlib import Path

import pytest
from bakeoff_process import bakeoff, bakeoff_started, interrupt
from metrics_databases import metrics, stored

from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.storage.stored_runs import load_comparison

pytestmark = pytest.mark.end_to_end

TARGET = "producer-api-rust-rest"
EXPERIMENT = f"""
version = 1
name = "equal"
question = "Which way of writing answers sooner at the same load?"
mode = "equal"
rounds = 2
users = [4]
# CPU is unknown for less than a second, and a phase may end a little early.
phase_duration = "1500ms"
warm_up = "500ms"
targets = ["{TARGET}"]
[vary.settings]
write_mode = ["group-commit", "per-request"]
"""


def requested_rate(database: Server) -> float:
    ((rates,),) = stored(database, "SELECT request ->> 'class_rates' FROM comparisons")
    (rate,) = json.loads(str(rates)).values()
    return float(rate)


def test_two_variants_get_the_rate_that_the_slower_one_holds(
    project: Project, database: Server, results: Path, tmp_path: Path
) -> None:
    file = tmp_path / "equal.toml"
    file.write_text(EXPERIMENT)
    done = bakeoff(project, "run", str(file), results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    assert "the slowest, did in its probe" in done.stderr
    rate = requested_rate(database)
    probes = stored(
        database,
        "SELECT phase.throughput_per_s FROM test_phases AS phase JOIN test_runs AS run ON run.id = phase.test_run_id"
        " WHERE run.test_mode = 'equal-probe'",
    )
    assert len(probes) == 2
    assert rate == float(f"{0.7 * min(float(str(value)) for (value,) in probes):.2g}")
    comparison = load_comparison(database)
    assert [run.result.round for run in comparison.runs] == [1, 1, 2, 2]
    for run in comparison.runs:
        assert [phase.arrival_rate_per_s for phase in run.result.phases] == [rate / 2, rate, None]
        half, full, maximum = (phase.measured.operations for phase in run.result.phases)
        assert 0 < half < full and maximum > 0
    # Such short windows carry no rank, and say so.
    printed = " ".join(done.stdout.split())
    assert f"At an equal load of {rate:,.10g}/s" in printed
    assert "10 s are needed" in printed
    report = bakeoff(project, "report", "--format", "json", "--output", str(tmp_path / "report.json"), results=results,
                     environment=metrics(database))  # fmt: skip
    assert report.returncode == 0, report.stderr
    judgement = json.loads((tmp_path / "report.json").read_text())["judgement"]
    loads = judgement["equal_loads"]
    assert [load["rate_per_s"] for load in loads] == [rate, rate / 2]
    for load in loads:
        for entry in load["entries"]:
            assert entry["cpu_us_each"]["median"] > 0 and entry["latency_ms"]["p50"]["median"] > 0
    assert all(each["peak_throughput_per_s"]["median"] > 0 for each in judgement["contenders"])


def test_an_interrupted_one_goes_on_at_the_rate_that_it_has_found(
    project: Project, database: Server, results: Path
) -> None:
    command = ("run", "equal", "--target", TARGET, "--rounds", "2", "--users", "4", "--phase-duration", "1s")
    process = bakeoff_started(project, *command, "--warm-up", "500ms", results=results, environment=metrics(database))
    assert process.stdout is not None
    assert any("round 2 of 2" in line for line in process.stdout)
    interrupt(process)
    process.communicate(timeout=60)
    rate = requested_rate(database)
    done = bakeoff(project, "run", "--resume", results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    assert "in its probe" not in done.stderr
    assert len(stored(database, "SELECT FROM test_runs WHERE test_mode = 'equal-probe'")) == 1
    runs = load_comparison(database).runs
    assert sorted(run.result.round for run in runs) == [1, 2]
    assert {run.result.phases[1].arrival_rate_per_s for run in runs} == {rate}


def test_a_rate_that_is_given_and_not_held_has_no_rank(project: Project, database: Server, results: Path) -> None:
    command = ("run", "equal", "--target", TARGET, "--users", "1", "--rate", "1000000", "--phase-duration", "1s")
    done = bakeoff(project, *command, "--warm-up", "0s", results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    assert "does not hold 1,000,000/s" in " ".join(done.stdout.split())
    assert not stored(database, "SELECT FROM test_runs WHERE test_mode = 'equal-probe'")
