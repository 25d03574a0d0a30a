"""The scripts that pgbench runs: the workload's own statements, with rows that are new or hit again."""

import pytest

from bakeoff.calibration.pgbench_lines import _plain, _rows, _statement
from bakeoff.project import Project
from bakeoff.workload.loader import load_workload


@pytest.mark.parametrize(("reused", "highest"), [(True, "1001"), (False, "9000000000000000000")])
def test_the_plain_statement_stores_one_row_whose_document_is_a_parameter(
    project: Project, reused: bool, highest: str
) -> None:
    events = load_workload(project, "events")
    (row,) = _rows(events, 1)
    script = _plain(events, row, 3, reused)
    assert script.startswith(f"\\set n random(1, {highest})\nINSERT INTO stored")
    assert "VALUES ((" in script and "(:document3)::jsonb" in script
    assert f"'{row.key[-1]}' || '-' || :client_id || '-' || :n" in script
    assert "unnest" not in script and row.document not in script


def test_batches_are_arrays(project: Project) -> None:
    events = load_workload(project, "events")
    assert "unnest" in _statement(events, _rows(events, 3), reused=False)
