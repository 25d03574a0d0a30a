"""Plans that the k6 engine cannot read or will not do: one clear line, and exit status 2."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from k6_harness import DEADLINE_SECONDS, ENGINE, Plan, held, iterations, plan_for, put_operation, run_engine

from bakeoff.project import FORMATS

NO_K6 = Path("/nowhere/k6")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot read the plan"),
        ("{", "is not JSON"),
        ("[]", "is not valid at the whole"),
        (json.dumps({"version": 1}), "is not valid at the whole"),
    ],
)
def test_what_is_no_plan_is_one_line_on_standard_error(tmp_path: Path, content: str | None, said: str) -> None:
    plan = tmp_path / "plan.json"
    if content is not None:
        plan.write_text(content)
    answer = _engine(plan)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert said in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


def test_the_place_of_a_mistake_is_named(tmp_path: Path) -> None:
    plan = plan_for("http", 1, held(0, 1000))
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    answer = _engine(tmp_path / "plan.json")
    assert answer.returncode == 2
    assert "phases/0" in answer.stderr


def _engine(plan: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(ENGINE), "--k6", str(NO_K6), "--plan", str(plan)]
    return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)


def _http(**changes: Any) -> Plan:
    return plan_for("http", 1, iterations(1), **changes)


def _poisson() -> Plan:
    phase = {"name": "p", "rate": 10, "arrival": "poisson", "max_virtual_users": 2, "duration_ms": 1000}
    return plan_for("http", 1, phase)


def _until_steady() -> Plan:
    return plan_for("http", 1, held(1, 9000) | {"until_steady": {"window_s": 3, "tolerance": 0.05}})


def _with_operation(**members: object) -> Plan:
    return _http(operations=[{**put_operation(), **members}])


def _with_call(**members: object) -> Plan:
    operation = put_operation()
    return _http(operations=[{**operation, "http": {**operation["http"], **members}}])


def _capturing() -> Plan:
    plan = _http()
    plan["operations"][0]["needs"] = "item"
    return plan


def _without_http() -> Plan:
    plan = _http()
    plan["operations"][0]["http"] = None
    return plan


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (_http(streamed=True), "does not send streams"),
        (_http(connections=4), "one connection for each virtual user"),
        (_http(ledger="/tmp/ledger"), "writes no ledger"),  # noqa: S108 (a path in a plan, never opened)
        (_capturing(), "captured from replies"),
        (_with_operation(reads={"document": "", "key": [["a"]]}), "no verified reads"),
        (_with_operation(login=True), "no login"),
        (_with_operation(body="form"), "no form, multipart or binary bodies"),
        (_with_operation(rate=2.5), "no rate of an operation's own"),
        (_with_operation(think_time_ms=5), "no pause of an operation's own"),
        (_http(sessions=[{"name": "s", "weight": 1, "steps": [0]}]), "has no sessions"),
        (_with_call(header_templates={"a": ["b"]}), "no headers with slots"),
        (_with_call(reply_templates={"/id": ["b"]}), "no reply checks with slots"),
        (_with_call(capture_templates={"id": ["b"]}), "no captures of what was sent"),
        (_with_call(expect=[200, 404]), "one status for each operation"),
        (_http(transport={"keep_alive": False}), "keeps its connections"),
        (_poisson(), "constant arrival rate only"),
        (_until_steady(), "leave out until_steady"),
        (_http(batch_size=2), "how the workload takes them"),
        (_without_http(), "says nothing about http"),
    ],
)
def test_what_the_engine_does_not_offer_ends_the_stream(tmp_path: Path, plan: Plan, said: str) -> None:
    outcome = run_engine(tmp_path, plan, k6=NO_K6)
    assert outcome.status == 2
    assert [record["type"] for record in outcome.records] == ["start", "note", "end"]
    assert said in outcome.of("note")[0]["message"]
    assert outcome.end["reason"] == "failed"
    assert said in outcome.errors


def test_the_manifest_is_valid() -> None:
    schema = json.loads((FORMATS / "engine.schema.json").read_text())
    Draft202012Validator(schema).validate(tomllib.loads((ENGINE.parent / "engine.toml").read_text()))
