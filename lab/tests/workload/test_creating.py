"""A plan that only creates: what --preload sends to a target that assigns keys itself."""

from dataclasses import replace

from test_plan import LOAD

from bakeoff.project import Project
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import compile_plan
from bakeoff.workload.preload import can_insert, creating


def test_only_operations_that_create_alone_have_a_weight(project: Project) -> None:
    plan = compile_plan(load_workload(project, "users"), LOAD)
    made = creating(plan, 100, "0000cafe", "ledger")
    assert {each.name: each.weight for each in made.operations if each.weight} == {"CreateUser": 1}
    assert [(phase.iterations, phase.virtual_users) for phase in made.phases] == [(100, 32)]
    assert (made.run, made.ledger, made.preload) == ("0000cafe", "ledger", 0)
    assert made.seed != plan.seed


def test_an_operation_that_the_mix_leaves_out_creates_all_the_same(project: Project) -> None:
    plan = compile_plan(load_workload(project, "users"), replace(LOAD, mix="get"))
    assert [each.weight for each in creating(plan, 3, "0000cafe", None).operations] == [1, 0, 0, 0]


def test_one_request_carries_one_message(project: Project) -> None:
    plan = compile_plan(load_workload(project, "events"), replace(LOAD, batch=50))
    made = creating(plan, 3, "0000cafe", None)
    assert (made.transport.batch, made.batch, made.phases[0].virtual_users) == (1, None, 3)


def test_rows_are_inserted_where_the_plan_tells_their_keys(project: Project) -> None:
    events, users = load_workload(project, "events"), load_workload(project, "users")
    assert can_insert(events, compile_plan(events, LOAD))
    assert not can_insert(users, compile_plan(users, LOAD))
