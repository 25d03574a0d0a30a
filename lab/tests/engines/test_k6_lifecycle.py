"""How the k6 engine ends: on request, on failure, and when no process reads its output. It leaves no k6 behind."""

import json
import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import pytest
from k6_harness import (
    DEADLINE_SECONDS,
    ENGINE,
    Outcome,
    checked_records,
    held,
    iterations,
    plan_for,
    run_engine,
    started_engine,
)
from k6_servers import http_server

LONG_MS = 120_000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_stream_as_interrupted(tmp_path: Path, number: signal.Signals) -> None:
    with http_server() as server:
        plan = plan_for("http", server.port, held(2, LONG_MS), held(3, LONG_MS), think_time_ms=5)
        with started_engine(tmp_path, plan) as engine:
            first = _read_until(engine, "second")
            [k6] = psutil.Process(engine.pid).children()
            engine.send_signal(number)
            rest, errors = engine.communicate(timeout=DEADLINE_SECONDS)
    outcome = Outcome(engine.returncode, checked_records(first + rest), errors)
    assert outcome.status == 0
    assert outcome.end["reason"] == "interrupted"
    [phase] = outcome.of("phase_end")
    assert phase["interrupted"]
    assert phase["sent"] > 0
    assert sum(second["sent"] for second in outcome.of("second")) == phase["sent"]
    assert not k6.is_running()


def test_k6_does_not_outlive_a_killed_engine(tmp_path: Path) -> None:
    with http_server() as server, _long_run(tmp_path, server.port) as engine:
        _read_until(engine, "phase_start")
        [k6] = psutil.Process(engine.pid).children()
        engine.kill()
        _, alive = psutil.wait_procs([k6], timeout=DEADLINE_SECONDS)
    assert alive == []


def test_a_reader_that_goes_away_stops_k6(tmp_path: Path) -> None:
    with http_server() as server, _long_run(tmp_path, server.port) as engine:
        _read_until(engine, "phase_start")
        [k6] = psutil.Process(engine.pid).children()
        assert engine.stdout is not None
        assert engine.stderr is not None
        engine.stdout.close()
        errors = engine.stderr.read()
        assert engine.wait(DEADLINE_SECONDS) == 1
        assert not k6.is_running()
    assert errors == "error: the reader of the result stream closed it\n"


def test_a_k6_that_is_not_there_is_said(tmp_path: Path) -> None:
    outcome = run_engine(tmp_path, plan_for("http", 1, iterations(1)), k6=tmp_path / "nowhere" / "k6")
    assert outcome.status == 1
    assert outcome.end["reason"] == "failed"
    assert "there is no k6 at" in outcome.of("note")[0]["message"]


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("echo it broke >&2; exit 107", "k6 ended with status 107: it broke"),
        ("kill -9 $$", "k6 ended with status -9: it said nothing"),
        ("echo quiet >&2; exit 0", "k6 sent no request: quiet"),
    ],
)
def test_a_k6_that_fails_is_said_with_its_last_words(tmp_path: Path, ending: str, said: str) -> None:
    outcome = run_engine(tmp_path, plan_for("http", 1, iterations(1)), k6=_fake_k6(tmp_path, ending))
    assert outcome.status == 1
    assert outcome.end["reason"] == "failed"
    assert outcome.end["message"] == said
    assert [note["level"] for note in outcome.of("note")] == ["error"]


def test_crossed_thresholds_are_no_failure_of_the_engine(tmp_path: Path) -> None:
    with http_server() as server:
        plan = plan_for("http", server.port, iterations(3))
        plan["thresholds"] = {"p95_ms": 0.000001, "p99_ms": 0.000001, "error_rate": 0.05}
        outcome = run_engine(tmp_path, plan)
    assert (outcome.status, outcome.end["reason"]) == (0, "completed")


def test_settings_and_proxies_of_the_environment_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("K6_VUS", "7")
    monkeypatch.setenv("K6_ITERATIONS", "70")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with http_server() as server:
        outcome = run_engine(tmp_path, plan_for("http", server.port, iterations(2)))
    assert len(server.seen) == 2
    assert outcome.of("phase_end")[0]["ok"] == 2


def test_help_names_the_options() -> None:
    answer = subprocess.run([sys.executable, ENGINE, "--help"], capture_output=True, text=True, check=True)
    assert "--k6" in answer.stdout
    assert "--plan" in answer.stdout


def _long_run(folder: Path, port: int) -> "AbstractContextManager[subprocess.Popen[str]]":
    return started_engine(folder, plan_for("http", port, held(1, LONG_MS), think_time_ms=5))


def _fake_k6(folder: Path, ending: str) -> Path:
    fake = folder / "k6"
    fake.write_text(f'#!/bin/sh\n[ "$1" = version ] && echo "k6 v0.0.0" && exit\n{ending}\n')
    fake.chmod(0o755)
    return fake


def _read_until(engine: "subprocess.Popen[str]", record_type: str) -> str:
    assert engine.stdout is not None
    read = ""
    for line in engine.stdout:
        read += line
        if json.loads(line)["type"] == record_type:
            return read
    raise AssertionError(f"the stream ended before a {record_type} record: {read}")
