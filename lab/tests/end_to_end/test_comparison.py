"""Comparisons as a person makes them: rounds, experiments, arrival rates, security, resuming, and a lost database."""

import contextlib
import json
import os
import signal
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from bakeoff_process import bakeoff, bakeoff_started, interrupt
from metrics_databases import metrics, stored
from throwaway_server import StartServer, throwaway_server

from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.project import Project
from bakeoff.results.run import Durability, Status
from bakeoff.storage.stored_runs import load_comparison
from bakeoff.targets.access import Access
from bakeoff.targets.health import HttpHealthCheck
from bakeoff.targets.manifest import choose_targets, find_targets
from build_once import built_client

pytestmark = pytest.mark.end_to_end

REST, GRPC = "producer-api-rust-rest", "producer-api-rust-grpc"
# At most so many times in a run its users are stopped, each with a write in flight.
_ENDS = 8
SHORT = ("--phase-duration", "250ms", "--warm-up", "250ms")

EXPERIMENT = f"""
version = 1
name = "two-ways"
question = "Which way of writing?"
mode = "quick"
rounds = 2
users = [4]
phase_duration = "500ms"
warm_up = "500ms"
targets = ["{REST}"]
[vary.settings]
write_mode = ["group-commit", "per-request"]
"""


@pytest.fixture(scope="module")
def start_server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start:
        yield start


def test_an_experiment_s_contenders_meet_in_rounds(
    project: Project, database: Server, results: Path, tmp_path: Path
) -> None:
    file = tmp_path / "two-ways.toml"
    file.write_text(EXPERIMENT)
    done = bakeoff(project, "run", str(file), results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    assert "4 runs of 2 contenders in 2 rounds: about" in done.stderr
    comparison = load_comparison(database)
    assert (comparison.name, comparison.rounds, comparison.status) == ("two-ways", 2, "completed")
    contenders = {f"{REST} write_mode=group-commit", f"{REST} write_mode=per-request"}
    assert [run.result.round for run in comparison.runs] == [1, 1, 2, 2]
    for number in (0, 2):
        assert {run.result.contender for run in comparison.runs[number : number + 2]} == contenders
    for run in comparison.runs:
        result = run.result
        assert result.factors == {"write_mode": result.settings["write_mode"]}
        assert result.warm_up is not None and (result.warm_up.cap_s, result.warm_up.steady) == (0.5, None)
        assert [phase.name for phase in result.phases] == ["4 users"]
        assert result.machine_state is not None and (result.machine_state.speed_mb_s or 0) > 0
        assert result.database_activity is not None and result.total is not None
        activity = msgspec.to_builtins(result.database_activity)
        # The warm-up is part of what the database did, and of no figure of the run.
        assert activity["operations"] > result.total.operations > 0
        written = activity["rows_inserted"] + activity["rows_updated"]
        assert written > 0
        # The load of a crash goes on while the counts are read. Elsewhere only writes in flight can be surplus.
        assert result.durability == Durability.PROVEN or written <= activity["operations"] + 4 * _ENDS
        assert activity["wal_bytes"] > 0 and activity["commits"] > 0
        assert list(activity["phases"]) == ["1"]
    # Each contender was looked at once before, and each figure lies in a file that names its comparison.
    smoked = stored(database, "SELECT contender FROM test_runs WHERE test_mode = 'smoke' ORDER BY 1")
    assert {contender for (contender,) in smoked} == contenders and len(smoked) == 2
    files = [json.loads(path.read_text()) for path in (results / REST).glob("*-quick-default.json")]
    assert {(each["comparison"]["name"], each["round"]) for each in files} == {("two-ways", 1), ("two-ways", 2)}


def test_arrival_rates(project: Project, database: Server, results: Path) -> None:
    rate = ("run", "rate", "--rate", "50,200", "--arrivals", "poisson", "--phase-duration", "1s", "--target", REST)
    done = bakeoff(project, *rate, results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    (run,) = load_comparison(database).runs
    assert run.result.settings["arrivals"] == "poisson"
    assert [phase.arrival_rate_per_s for phase in run.result.phases] == [50, 200]
    warmed = run.result.warm_up
    # Arrivals at a rate are steady as soon as the rule can decide.
    assert warmed is not None and (warmed.cap_s, warmed.steady) == (10, True)
    assert 6 <= (warmed.steady_after_s or 0) <= warmed.duration_s + 1
    slow, fast = (phase.measured.operations for phase in run.result.phases)
    assert slow < fast


def test_encrypted_with_a_token_that_is_kept_nowhere(project: Project, database: Server, results: Path) -> None:
    secure = ("run", "smoke", "--tls", "--token", "--target", REST, "--target", GRPC)
    process = bakeoff_started(project, *secure, results=results, environment=metrics(database))
    plans = seen_while(process, project.state / "runs", "*/plan.json")
    assert process.communicate(timeout=60) and process.returncode == 0
    runs = load_comparison(database).runs
    assert {run.result.target for run in runs} == {REST, GRPC}
    assert all((run.result.settings["tls"], run.result.settings["token"]) == ("on", "on") for run in runs)
    headers = [json.loads(content)["transport"]["headers"] for content in plans.values()]
    (token,) = {each["authorization"].removeprefix("Bearer ") for each in headers if "authorization" in each}
    # Every file of results, streams and logs too; the plans themselves have gone.
    written = [path.read_bytes() for folder in (results, project.logs) for path in folder.rglob("*") if path.is_file()]
    assert len(token) > 20 and written and not any(token.encode() in content for content in written)
    assert not any(plan.exists() for plan in plans)
    tables = ("comparisons", "test_runs", "findings")
    assert not any(token in str(stored(database, f"SELECT * FROM {table}")) for table in tables)


def seen_while(process: subprocess.Popen[str], folder: Path, pattern: str) -> dict[Path, bytes]:
    """The contents of files of a folder, which only this user may read, while a process ran."""
    seen: dict[Path, bytes] = {}
    while process.poll() is None:
        for path in folder.glob(pattern):
            with contextlib.suppress(FileNotFoundError):
                content, mode = path.read_bytes(), path.stat().st_mode
                assert stat.S_IMODE(mode) == 0o600
                if content.endswith(b"}"):
                    seen[path] = content
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
    return seen


@pytest.mark.parametrize("how", ["ctrl-c", "killed"])
def test_resume_makes_only_what_is_missing(project: Project, database: Server, results: Path, how: str) -> None:
    arguments = ("run", "quick", "--target", REST, "--users", "2", *SHORT, "--rounds", "4")
    process = bakeoff_started(project, *arguments, results=results, environment=metrics(database))
    assert process.stdout is not None
    assert any("round 3 of 4" in line for line in process.stdout)
    if how == "ctrl-c":
        interrupt(process)
    else:
        process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    before = {run for (run,) in stored(database, "SELECT id FROM test_runs WHERE status = 'completed'")}
    done = bakeoff(project, "run", "--resume", results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    comparison = load_comparison(database)
    assert (comparison.status, len(stored(database, "SELECT id FROM comparisons"))) == ("completed", 1)
    assert [run.result.round for run in comparison.runs] == [1, 2, 3, 4]
    after = {run for (run,) in stored(database, "SELECT id FROM test_runs")}
    # No round that was finished is made again: there were a smoke test and two at least, and another smoke test.
    assert len(before) >= 3 and before < after and len(after) == 6
    again = bakeoff(project, "run", "--resume", results=results, environment=metrics(database))
    assert again.returncode == 1
    assert "There is nothing to resume" in again.stderr


def test_a_comparison_that_ended_goes_on_where_runs_failed(project: Project, database: Server, results: Path) -> None:
    arguments = ("run", "quick", "--target", REST, "--users", "2", *SHORT, "--rounds", "2")
    assert bakeoff(project, *arguments, results=results, environment=metrics(database)).returncode == 0
    database.execute_script("UPDATE test_runs SET status = 'failed', failure = 'It died.' WHERE round = 2")
    done = bakeoff(project, "run", "--resume", results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    comparison = load_comparison(database)
    assert comparison.status == "completed"
    assert [(run.result.round, run.result.status) for run in comparison.runs] == [
        (1, Status.COMPLETED),
        (2, Status.FAILED),
        (2, Status.COMPLETED),
    ]


def test_a_metrics_database_that_goes_away_costs_no_run(
    project: Project, start_server: StartServer, results: Path
) -> None:
    arguments = ("run", "quick", "--target", REST, "--users", "2", *SHORT, "--rounds", "3")
    with start_server() as server:
        server.execute_script("CREATE DATABASE leaving")
        leaving = server.in_database("leaving")
        process = bakeoff_started(project, *arguments, results=results, environment=metrics(leaving))
        assert process.stdout is not None
        assert any("round 2 of 3" in line for line in process.stdout)
    said = process.communicate(timeout=120)[0]
    assert process.returncode == 1
    assert "Traceback" not in said
    advice = "2 runs are not in the metrics database: ./bakeoff "
    assert advice in said
    advised = said.partition(advice)[2].partition(" stores them")[0].split()
    assert len(list((results / REST).glob("*-quick-default.json"))) == 3
    with start_server():
        imported = bakeoff(project, *advised, results=results, environment=metrics(leaving))
        assert (imported.returncode, imported.stdout) == (0, "2 runs stored, 2 were there already.\n"), imported.stderr
        assert load_comparison(leaving).status == "running"
        ended = bakeoff(project, "run", "--resume", results=results, environment=metrics(leaving))
        assert ended.returncode == 0, ended.stderr
        assert "No ranking: Rust REST had levels of" in ended.stdout
        comparison = load_comparison(leaving)
        assert (comparison.status, [run.result.round for run in comparison.runs]) == ("completed", [1, 2, 3])


def test_a_target_that_the_lab_did_not_start(
    project: Project, database: Server, application: Server, results: Path
) -> None:
    application.execute_script("CREATE TABLE bakeoff_may_drop_tables_here ()")
    (target,) = choose_targets(find_targets(project), [REST])
    port = ports.free_port()
    environment = {**os.environ, "DATABASE_URL": application.url, "SERVER_PORT": str(port)}
    process = subprocess.Popen([str(target.build.artifact)], env=environment, stdout=subprocess.DEVNULL)
    try:
        quick = ("run", "quick", "--users", "2", *SHORT, "--rounds", "2")
        done = bakeoff(
            project, *quick, "--attach", f"{REST}=http://127.0.0.1:{port}",
            results=results, environment={**metrics(database), "DATABASE_URL": application.url},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert process.poll() is None
        health = HttpHealthCheck(built_client(), "GET", "/api/v1/events/health", 200)
        assert health.answer(Access("127.0.0.1", port)).is_healthy
    finally:
        process.terminate()
        process.wait()
    runs = load_comparison(database).runs
    assert len(runs) == 2
    for run in runs:
        assert run.result.settings["attached"] == f"127.0.0.1:{port}"
        assert run.result.audit is not None and run.result.audit.clean
        # A listener on this machine is visible, whatever started it.
        assert {sample.role for sample in run.result.samples} == {"target", "database", "engine"}
        assert run.result.environment["target_process"].endswith(f"({process.pid})")
