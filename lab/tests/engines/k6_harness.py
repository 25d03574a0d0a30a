"""Plans for the k6 engine, and the engine as a process: what the tests of the engine start from."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from k6_servers import probe_proto

from bakeoff.engines.manifest import find_engine
from bakeoff.processes.children import kill_tree
from bakeoff.project import FORMATS
from build_once import build_once

PROJECT = Path(__file__).resolve().parents[3]
ENGINE = PROJECT / "load" / "k6" / "engine.py"
# Above any time that a test needs, so that a hanging engine fails the test instead of the whole run.
DEADLINE_SECONDS = 60

Record = dict[str, Any]
Plan = dict[str, Any]

_STREAM_SCHEMA = json.loads((FORMATS / "stream.schema.json").read_text())


def k6_path() -> Path:
    """The k6 program, built where it is not; a skip where that is not possible."""
    given = os.environ.get("BAKEOFF_K6")
    if given:
        return Path(given)
    build = find_engine("k6").build
    if shutil.which("go") is None:
        pytest.skip("go not found, so that k6 cannot be built: set BAKEOFF_K6, or install Go")
    build_once(build)
    return build.artifact


def plan_for(
    protocol: str,
    port: int,
    *phases: Record,
    timeout_ms: int = 5000,
    batch_size: int = 1,
    connections: int | None = None,
    streamed: bool = False,
    transport: Record | None = None,
    **changes: Any,
) -> Plan:
    """A small plan against a server of `k6_servers`; `changes` replace members of the plan, `transport` adds to it."""
    plan: Plan = {
        "version": 1,
        "workload": "probe",
        "target": "tested",
        "mode": "test",
        "payload": "default",
        "run": "0badcafe",
        "seed": "00000000000000aa",
        "base_time_ms": 1_768_473_000_000,
        "transport": {
            "protocol": protocol,
            "host": "127.0.0.1",
            "port": port,
            "connections": connections,
            "batch": batch_size,
            "stream": streamed,
            "timeout_ms": timeout_ms,
            **(transport or {}),
        },
        "proto": probe_proto() if protocol == "grpc" else None,
        "phases": list(phases),
        "think_time_ms": 0,
        "thresholds": {"p95_ms": 2000, "p99_ms": 5000, "error_rate": 0.05},
        "keys": [{"name": "item", "format": ["item-", {"slot": "user"}, "-", {"slot": "sequence"}], "reuse": None}],
        "size_bytes": None,
        "operations": [put_operation()],
        "batch": None,
        "stream": None,
        "ledger": None,
        "verify_share": 0,
    }
    return plan | changes


def as_text(plan: Plan) -> str:
    """One line, as an engine that takes instructions reads it."""
    return json.dumps(plan)


def put_operation(http_expect: int = 200, grpc_expect: str = "OK") -> Record:
    """An operation whose reply must say `stored`, where replies are checked."""
    reply = {"/stored": True}
    http = {"method": "POST", "path": ["/items/", {"slot": "key"}], "headers": {"content-type": "application/json"}}
    decimal = {"slot": "decimal", "min": 101, "max": 999, "scale": 2}
    return {
        "name": "put",
        "weight": 1,
        "key": 0,
        "creates": None,
        "needs": None,
        "effect": None,
        "http": http | {"expect": http_expect, "reply": reply, "capture": {}},
        "grpc": {"method": "probe.Store/Put", "expect": grpc_expect, "reply": reply, "capture": {}},
        "variants": [['{"id":"', {"slot": "key"}, '","amount":', decimal, ',"text":"größe 🚗"}']],
    }


def iterations(count: int, users: int = 1) -> Record:
    return {"name": "smoke", "virtual_users": users, "iterations": count}


def held(users: int, duration_ms: int) -> Record:
    return {"name": f"{users} users", "virtual_users": users, "duration_ms": duration_ms}


def arrivals(rate: float, users: int, duration_ms: int) -> Record:
    phase = {"name": f"{rate} a second", "rate": rate, "arrival": "constant"}
    return phase | {"max_virtual_users": users, "duration_ms": duration_ms}


@dataclass(frozen=True)
class Outcome:
    """A finished engine."""

    status: int
    records: list[Record]
    errors: str

    def of(self, record_type: str) -> list[Record]:
        """The records of one type, in order."""
        return [record for record in self.records if record["type"] == record_type]

    @property
    def end(self) -> Record:
        """The last record, which must be the end."""
        assert self.records[-1]["type"] == "end"
        return self.records[-1]


def run_engine(folder: Path, plan: Plan, k6: Path | None = None) -> Outcome:
    """Runs the engine to its end. Every record it wrote is valid, or the test fails."""
    with started_engine(folder, plan, k6) as engine:
        output, errors = engine.communicate(timeout=DEADLINE_SECONDS)
    return Outcome(engine.returncode, checked_records(output), errors)


@contextmanager
def started_engine(folder: Path, plan: Plan, k6: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    """The engine as a process, which does not outlive the test."""
    plan_file = folder / "plan.json"
    plan_file.write_text(json.dumps(plan))
    command = [sys.executable, str(ENGINE), "--k6", str(k6 or k6_path()), "--plan", str(plan_file)]
    engine = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield engine
    finally:
        if engine.poll() is None:
            kill_tree(engine.pid)
        engine.wait()


def checked_records(output: str) -> list[Record]:
    """The lines of a stream, each valid against the contract."""
    records = [json.loads(line) for line in output.splitlines()]
    validator = Draft202012Validator(_STREAM_SCHEMA)
    for record in records:
        validator.validate(record)
    return records
