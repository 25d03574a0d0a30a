"""The plan that calibrates: the null server can answer every operation of it, whatever the workload."""

import json
from pathlib import Path
from typing import Any

import pytest

from as_json import as_json
from bakeoff.calibration.null_replies import for_null_server
from bakeoff.documents.checked import first_problem
from bakeoff.project import FORMATS, Project
from bakeoff.workload.loader import Workload, load_workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import PlannedPhase
from made_up_manifests import declared

USERS: dict[str, Any] = {
    "database": "none",
    "operations": [
        {
            "name": "create",
            "weight": 1,
            "message": '{"name": "${alphanumeric 8}"}',
            "creates": "user",
            "http": {
                "method": "POST",
                "path": "/users",
                "expect": 201,
                "reply": {"/name": "Ann"},
                "capture": {"id": "/id"},
            },
        },
        {
            "name": "delete",
            "weight": 1,
            "needs": "user",
            "http": {
                "method": "DELETE",
                "path": "/users/${captured.id}",
                "expect": [204, 404],
                "headers": {"authorization": "Bearer ${captured.token}"},
                "reply": {"/id": "${captured.id}"},
            },
            "effect": {"kind": "delete", "key": ["${captured.id}"]},
        },
    ],
}


def planned(workload: Workload, protocol: str, batch: int = 1) -> dict[str, Any]:
    phases = [PlannedPhase(name="Ceiling", virtual_users=1, duration_ms=1000)]
    load = Load("null-server", protocol, "127.0.0.1", 1, "calibrate", phases=phases, batch=batch)
    document: dict[str, Any] = as_json(for_null_server(compile_plan(workload, load)))
    return document


def users_plan() -> dict[str, Any]:
    return planned(Workload("users", Path("/nowhere"), declared(**USERS)), "http")


def operation(plan: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in plan["operations"] if each["name"] == name)
    return found


def test_every_operation_expects_the_null_servers_status_and_nothing_of_its_reply() -> None:
    for each in users_plan()["operations"]:
        assert (each["http"]["expect"], each["http"]["reply"], each["http"]["capture"]) == (200, {}, {})


def test_operations_that_need_what_a_reply_would_give_are_sent_all_the_same() -> None:
    plan = users_plan()
    delete = operation(plan, "delete")
    assert (delete["needs"], delete["effect"], operation(plan, "create")["creates"]) == (None, None, None)
    assert all(isinstance(segment, str) for segment in delete["http"]["path"])
    assert "captured" not in json.dumps(plan)


@pytest.mark.parametrize(("protocol", "expected"), [("http", 200), ("grpc", "OK")])
def test_batches_too(project: Project, protocol: str, expected: object) -> None:
    plan = planned(load_workload(project, "events"), protocol, batch=10)
    assert (plan["batch"]["expect"], plan["batch"]["reply"]) == (expected, {})


def test_it_obeys_the_plans_schema(project: Project) -> None:
    schema = FORMATS / "plan.schema.json"
    assert first_problem(users_plan(), schema) is None
    assert first_problem(planned(load_workload(project, "events"), "grpc"), schema) is None
