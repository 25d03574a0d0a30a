"""A smoke run sends every operation, with five requests where these are enough."""

from typing import Any

import pytest
from msgspec.structs import replace

from bakeoff.project import Project
from bakeoff.running.modes import SMOKE
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import Plan, PlannedEffect, PlannedOperation, PlannedSession
from bakeoff.workload.reach import reached, reaching_all

DELETES = PlannedEffect(kind="delete", key=[])


def operation(name: str, weight: int = 1, **members: Any) -> PlannedOperation:
    nothing: dict[str, Any] = dict.fromkeys(("key", "http", "grpc", "creates", "needs", "effect"))
    return PlannedOperation(name=name, weight=weight, variants=[], **{**nothing, **members})


@pytest.fixture
def events(project: Project) -> Plan:
    """A plan of five requests."""
    phases = [phase.planned() for phase in SMOKE]
    load = Load(target="one", protocol="http", host="127.0.0.1", port=1, mode="smoke", phases=phases)
    return compile_plan(load_workload(project, "events"), load)


def reached_by(plan: Plan) -> set[str]:
    return reached(plan.operations, int(plan.seed, 16), plan.phases[0].iterations or 0)


def test_five_requests_reach_all_where_a_seed_does(events: Plan) -> None:
    rare = replace(events, operations=[operation("Save", 95), operation("Read", 3), operation("List", 2)])
    found = reaching_all(rare)
    assert found.phases == rare.phases
    assert reached_by(found) == {"Save", "Read", "List"}


def test_the_own_seed_stays_where_it_reaches_all(events: Plan) -> None:
    plan = replace(events, operations=[operation("Save"), operation("Never", 0)])
    assert reaching_all(plan) == plan


def test_more_operations_need_more_requests(events: Plan) -> None:
    names = {f"Operation {number}" for number in range(12)}
    found = reaching_all(replace(events, operations=[operation(name) for name in sorted(names)]))
    assert (found.phases[0].iterations or 0) > 12
    assert reached_by(found) == names


def test_what_needs_an_entity_is_reached_after_its_creator(events: Plan) -> None:
    create = operation("Create", creates="book")
    delete = operation("Delete", needs="book", effect=DELETES)
    read = operation("Read", needs="book")
    found = reaching_all(replace(events, operations=[create, delete, read]))
    assert reached_by(found) == {"Create", "Delete", "Read"}
    # Nothing was created yet, and so the creator takes the place of what needs it.
    assert reached([create, operation("Read", 999, needs="book")], 1, 1) == {"Create"}


def test_a_login_comes_first() -> None:
    assert reached([operation("Login", 0, login=True), operation("Save")], 1, 2) == {"Login", "Save"}


def test_the_shipped_events_are_all_sent(events: Plan) -> None:
    found = reaching_all(events)
    assert found.phases == events.phases
    assert len(reached_by(found)) == len(found.operations)


def test_sessions_are_reached_to_their_ends(events: Plan) -> None:
    names = ["Ping", "Search", "Buy", "Pay"]
    operations = [operation(name, 1 if name == "Ping" else 0) for name in names]
    session = PlannedSession(name="Order", weight=1, steps=[1, 2, 3])
    found = reaching_all(replace(events, operations=operations, sessions=[session]))
    seed, iterations = int(found.seed, 16), found.phases[0].iterations or 0
    assert reached(found.operations, seed, iterations, found.sessions) == set(names)
    assert iterations == 5, "four of them are sent anyway, and a seed has the fifth"
    never = replace(events, operations=operations, sessions=[replace(session, weight=0)])
    assert reaching_all(never) == never
