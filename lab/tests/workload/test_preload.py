import re
from dataclasses import replace

import pytest
from test_plan import LOAD, NOTES, workload_of

from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.workload.loader import Workload, load_workload
from bakeoff.workload.plan import compile_plan
from bakeoff.workload.preload import preload_statements
from bakeoff.workload.statements import columns, text_array, upsert
from bakeoff.workload.stored_effects import rows_of

READ = """
[[operations]]
name = "ReadNote"
weight = 9
http = { method = "GET", path = "/notes", expect = 200 }
"""


def stored_by(workload: Workload, count: int, payload: str = "default") -> int:
    """Rows that the statements store: rows of each array × numbers of the series."""
    plan = compile_plan(workload, replace(LOAD, payload=payload))
    total = 0
    for statement in preload_statements(workload, plan, count):
        series = re.search(r"generate_series\((\d+), (\d+)\)", statement)
        assert series is not None
        rows = statement.count("'parcel-") + statement.count("'pallet-")
        total += (int(series[2]) - int(series[1]) + 1) * rows
    return total


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 20_000, 20_001, 123_456])
def test_as_many_rows_are_stored_as_were_asked_for(project: Project, count: int) -> None:
    assert stored_by(load_workload(project, "events"), count) == count


def test_large_documents_make_small_statements(project: Project) -> None:
    workload = load_workload(project, "events")
    plan = compile_plan(workload, replace(LOAD, payload="64k"))
    statements = preload_statements(workload, plan, 1_000)
    assert len(list(statements)) == 5
    assert stored_by(workload, 1_000, "64k") == 1_000


def test_a_parameter_inside_a_document_is_none(project: Project) -> None:
    workload = load_workload(project, "events")
    statement = upsert(workload, [text_array(["a"]), text_array(["b"]), text_array(["it's $1 and $2"])])
    assert "ARRAY['it''s $1 and $2']" in statement
    assert "(ARRAY['a'])::text[], (ARRAY['b'])::text[]" in statement


def test_rows_are_those_of_operations_that_store(empty_checkout: Project) -> None:
    workload = workload_of(empty_checkout, NOTES + READ)
    rows = rows_of(compile_plan(workload, LOAD), 20)
    assert len({tuple(row.key) for row in rows}) == 20
    assert columns(rows)[1][0] == rows[0].document


def test_a_workload_that_stores_nothing_of_its_own_is_told(empty_checkout: Project) -> None:
    workload = workload_of(empty_checkout, NOTES[: NOTES.index("[[operations]]")] + READ)
    with pytest.raises(BakeoffError, match="notes has no operation that stores"):
        rows_of(compile_plan(workload, LOAD), 1)


def test_a_workload_without_an_upsert_is_told(empty_checkout: Project) -> None:
    workload = workload_of(empty_checkout, NOTES)
    with pytest.raises(BakeoffError, match="has no upsert"):
        list(preload_statements(workload, compile_plan(workload, LOAD), 1))
