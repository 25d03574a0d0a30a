"""`./bakeoff run` as a person types it, with everything real."""

import json
import signal
from pathlib import Path

import psutil
import pytest
from bakeoff_process import bakeoff, bakeoff_started, interrupt
from metrics_databases import metrics, stored

from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.project import Project
from bakeoff.targets.manifest import find_targets

pytestmark = pytest.mark.end_to_end

REST = "producer-api-rust-rest"
SHORT = ("--phase-duration", "250ms", "--warm-up", "250ms")


def test_smoke_measures_every_target_and_keeps_it_all(project: Project, database: Server, results: Path) -> None:
    done = bakeoff(project, "run", "smoke", results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    measured = stored(database, "SELECT id, target, status, engine, environment FROM test_runs ORDER BY id")
    assert {name for _, name, _, _, _ in measured} == {
        target.name
        for target in find_targets(project)
        if not target.missing and target.target_class == "standard" and target.workload == "events"
    }
    for run_id, name, status, _, environment in measured:
        assert status == "completed"
        assert f"{name} " in done.stdout
        assert isinstance(environment, dict) and environment["database"].startswith("PostgreSQL 18.")
        totals = stored(
            database,
            "SELECT total_requests, failed_requests, histogram <> '' FROM performance_metrics"
            f" WHERE test_run_id = {run_id}",
        )
        assert totals == [(5, 0, True)]
        audits = stored(database, f"SELECT audit -> 'clean' FROM test_runs WHERE id = {run_id}")
        assert audits == [(True,)]
        phases = stored(database, f"SELECT virtual_users, total_requests FROM test_phases WHERE test_run_id = {run_id}")
        assert phases == [(1, 5)]
        roles = stored(database, f"SELECT DISTINCT role FROM resource_metrics WHERE test_run_id = {run_id} ORDER BY 1")
        assert roles == [("database",), ("engine",), ("target",)]
        (document,) = (results / str(name)).glob("*-smoke-default.json")
        assert json.loads(document.read_text())["total"]["requests"] == 5
        assert f"{name} · standard class, core contract\nsmoke" in document.with_suffix(".txt").read_text()
        assert len(document.with_name(f"{document.stem}-metrics.csv").read_text().splitlines()) > 3
        assert document.with_suffix(".stream.jsonl").read_text().splitlines()[-1].startswith("{")
    assert stored(database, "SELECT status, test_mode FROM comparisons") == [("completed", "smoke")]


def test_k6_follows_the_same_plan(project: Project, database: Server, results: Path) -> None:
    environment = metrics(database)
    for target in (REST, "producer-api-rust-grpc"):
        short = ("--phase-duration", "1s", "--warm-up", "1s", "--users", "5")
        quick = ("run", "quick", "--engine", "k6", "--target", target, *short)
        done = bakeoff(project, *quick, results=results, environment=environment)
        assert done.returncode == 0, done.stderr
    rows = stored(
        database,
        "SELECT engine, protocol, total_requests > 10, failed_requests, latency_p50_ms > 0 FROM test_runs"
        " JOIN performance_metrics ON id = test_run_id WHERE test_mode = 'quick' ORDER BY id",
    )
    assert rows == [("k6", "rest", True, 0, True), ("k6", "grpc", True, 0, True)]


def test_calibration_is_kept_and_later_runs_are_compared_with_it(
    project: Project, database: Server, results: Path
) -> None:
    environment = metrics(database)
    arguments = ("calibrate", "--payload", "default", "--duration", "300ms", "--json")
    done = bakeoff(project, *arguments, results=results, environment=environment)
    assert done.returncode == 0, done.stderr
    found = stored(database, "SELECT kind, subject, transport, tls, rate_per_s FROM calibrations ORDER BY id")
    rates = {(subject, transport, tls): rate for _, subject, transport, tls, rate in found}
    assert all(isinstance(rate, float) and rate > 0 for rate in rates.values())
    printed = json.loads(done.stdout)["calibrations"]
    assert [(each["subject"], each["transport"], each["tls"], each["rate_per_s"]) for each in printed] == [
        row[1:] for row in found
    ]
    assert [row[:4] for row in found] == [
        ("engine", "native", "http", False),
        ("engine", "native", "http", True),
        ("engine", "native", "grpc", False),
        ("engine", "native", "grpc", True),
        ("database", "one upsert per event", "sql", False),
        ("database", "batches of 500", "sql", False),
    ]
    quick = ("run", "quick", "--target", REST, *SHORT, "--users", "4")
    for options in ((), ("--tls",)):
        assert bakeoff(project, *quick, *options, results=results, environment=environment).returncode == 0
    held = stored(database, "SELECT ceilings FROM test_runs WHERE test_mode = 'quick' ORDER BY id")
    lines = {name: rates[name, "sql", False] for name in ("one upsert per event", "batches of 500")}
    assert held == [({"engine": rates["native", "http", tls], **lines},) for tls in (False, True)]


def test_deleting_a_run_deletes_what_hangs_on_it(project: Project, database: Server, results: Path) -> None:
    environment = metrics(database)
    bakeoff(project, "run", "smoke", "--target", REST, results=results, environment=environment)
    database.execute_script("DELETE FROM test_runs")
    for table in ("performance_metrics", "resource_metrics", "test_phases", "findings"):
        assert stored(database, f"SELECT count(*) FROM {table}") == [(0,)]


def test_a_database_of_the_user_s_own_is_used(
    project: Project, database: Server, application: Server, results: Path
) -> None:
    done = bakeoff(
        project,
        "run", "full", "--target", REST, *SHORT, "--payload", "4k", "--write-mode", "per-request",
        results=results,
        environment={**metrics(database), "DATABASE_URL": application.url},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    runs = stored(database, "SELECT test_mode, payload_size, settings ->> 'write_mode' FROM test_runs ORDER BY id")
    # The smoke test before a longer mode is a run like any other.
    assert runs == [("smoke", "4k", "per-request"), ("full", "4k", "per-request")]
    phases = stored(
        database,
        "SELECT virtual_users, total_requests > 0, failed_requests FROM test_phases JOIN test_runs ON id = test_run_id"
        " WHERE test_mode = 'full' ORDER BY phase_number",
    )
    assert phases == [(10, True, 0), (50, True, 0), (100, True, 0), (200, True, 0)]
    (count,) = stored(application, "SELECT count(*) FROM car_entities")
    assert isinstance(count[0], int) and count[0] > 0


@pytest.mark.parametrize("moment", ["conformance", "Baseline, 10 virtual users"])
def test_ctrl_c_leaves_no_process_behind_and_keeps_what_was_finished(
    project: Project, database: Server, results: Path, moment: str
) -> None:
    # What an earlier test has proven would leave no conformance to interrupt.
    proving = ["--prove"] if moment == "conformance" else []
    process = bakeoff_started(
        project, "run", "full", "--target", REST, "--phase-duration", "60s", "--warm-up", "0s",
        "--reference-lines", "off", *proving, results=results, environment=metrics(database),
    )  # fmt: skip
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if moment in line:
            break
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) > 1
    interrupt(process)
    said += process.communicate(timeout=60)[0]
    assert process.returncode == 130, said
    assert "bakeoff: interrupted; completed runs are stored." in said
    assert "Traceback" not in said
    _, alive = psutil.wait_procs(children, timeout=30)
    assert alive == []
    runs = stored(database, "SELECT test_mode, status FROM test_runs ORDER BY id")
    finished = [] if moment == "conformance" else [("smoke", "completed"), ("full", "interrupted")]
    assert runs == finished
    assert stored(database, "SELECT status FROM comparisons") == [("interrupted",)]


def test_a_lab_that_is_killed_leaves_no_process_behind_either(
    project: Project, database: Server, results: Path
) -> None:
    process = bakeoff_started(
        project, "run", "full", "--target", REST, "--phase-duration", "60s", "--reference-lines", "off",
        results=results, environment=metrics(database),
    )  # fmt: skip
    assert process.stdout is not None
    assert any("full (about" in line for line in process.stdout)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    gone, alive = psutil.wait_procs(children, timeout=60)
    assert (len(gone), alive) == (len(children), [])
    # Its lock has died with it.
    done = bakeoff(project, "run", "smoke", "--target", REST, results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("variable", ["DATABASE_URL", "METRICS_DATABASE_URL"])
def test_a_database_that_is_away(project: Project, database: Server, results: Path, variable: str) -> None:
    environment = metrics(database)
    environment[variable] = f"postgresql://postgres:secret@127.0.0.1:{ports.free_port()}/nowhere"
    done = bakeoff(project, "run", "smoke", "--target", REST, results=results, environment=environment)
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_that_is_not_ours_to_reset(project: Project, database: Server, results: Path) -> None:
    database.execute_script("CREATE TABLE car_entities (precious int)")
    done = bakeoff(
        project, "run", "smoke", "--target", REST, results=results, environment={"DATABASE_URL": database.url}
    )
    assert done.returncode == 1
    assert "contains tables that bakeoff did not create (public.car_entities)" in done.stderr


def test_up_prints_a_line_that_works(project: Project, database: Server, results: Path) -> None:
    import shlex
    import subprocess

    port = ports.free_port()
    process = bakeoff_started(
        project, "up", REST, "--port", str(port), results=results, environment={"DATABASE_URL": database.url}
    )
    try:
        assert process.stdout is not None
        line = next(line for line in process.stdout if line.startswith("curl "))
        answered = subprocess.run([*shlex.split(line), "-s"], capture_output=True, text=True, timeout=30, check=True)
        assert json.loads(answered.stdout) == {"success": True, "message": "Event processed successfully"}
        second = bakeoff(project, "up", REST, "--port", str(port), results=results)
        assert second.returncode == 1
        assert "is in use" in second.stderr
    finally:
        interrupt(process)
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert ports.port_is_free(port)
