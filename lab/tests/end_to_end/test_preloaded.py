"""Rows that were stored before a run are compared with what they were, content included."""

from dataclasses import replace

import msgspec
import pytest

from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.fresh_state import fresh_table
from bakeoff.running.stored_state import Preloaded, preload_findings, preloaded_in
from bakeoff.workload.loader import Workload, load_workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.preload import preload_statements

pytestmark = pytest.mark.end_to_end

ROWS = 250
ONE = "(SELECT min(id) FROM car_entities WHERE id LIKE '%-preloaded-1')"
OTHER = "(SELECT max(id) FROM car_entities WHERE id LIKE '%-preloaded-1')"


@pytest.fixture
def workload(project: Project, server: Server) -> Workload:
    """A table that holds preloaded rows and nothing else."""
    workload = load_workload(project, "events")
    fresh_table(workload, server, with_schema=True)
    plan = compile_plan(workload, Load("one", "http", "127.0.0.1", 1, "test", phases=[]))
    for statement in preload_statements(workload, plan, ROWS):
        server.execute_script(statement)
    return workload


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("SELECT 1", None),
        # What operations store is the engine's to audit.
        ("INSERT INTO car_entities (entity_type, id, data) VALUES ('Car', 'car-1', '{}')", None),
        (f"UPDATE car_entities SET data = jsonb_set(data, '{{mileage}}', '1') WHERE id = {ONE}", "another document"),
        (
            "UPDATE car_entities AS one SET data = other.data FROM car_entities AS other"
            f" WHERE (one.id, other.id) IN (({ONE}, {OTHER}), ({OTHER}, {ONE}))",
            "another document",
        ),
        (f"DELETE FROM car_entities WHERE id = {ONE}", "1 are missing"),
        ("TRUNCATE car_entities", "250 are missing"),
        (f"UPDATE car_entities SET id = id || '1' WHERE id = {ONE}", "another document"),
    ],
)
def test_a_planted_change_is_found(workload: Workload, server: Server, change: str, words: str | None) -> None:
    before = preloaded_in(workload, server)
    assert before is not None and before.rows == ROWS
    server.execute_script(change)
    found = preload_findings(before, preloaded_in(workload, server))
    assert [finding.kind for finding in found] == ([] if words is None else ["audit-failed"])
    assert words is None or words in found[0].message


def test_a_workload_without_an_audit_says_nothing(workload: Workload, server: Server) -> None:
    without_audit = replace(workload, declared=msgspec.structs.replace(workload.declared, audit=None))
    assert preloaded_in(without_audit, server) is None
    assert preload_findings(None, None) == []
    assert preload_findings(Preloaded(1, 1), None) == []
