"""The counts of statements that a target keeps beside its target.toml."""

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.results.statements import OperationStatements, as_fact, from_fact
from bakeoff.targets.manifest import Target
from bakeoff.targets.statements_file import differences, keep_statements, stated, statements_file
from shelf import add_shelf

COUNTED = {"Create": OperationStatements(2, 4, 2), "Read": OperationStatements(1, 1, 1)}


@pytest.fixture
def target(empty_checkout: Project) -> Target:
    return add_shelf(empty_checkout, 'kind = "postgresql"\n')


def test_what_is_kept_is_read_again(target: Target) -> None:
    assert stated(target) == {}
    assert from_fact(as_fact({})) == {}
    keep_statements(target, COUNTED)
    assert stated(target) == COUNTED
    assert from_fact(as_fact(stated(target))) == COUNTED
    assert differences(target, COUNTED) == []


def test_what_differs_is_named(target: Target) -> None:
    keep_statements(target, {**COUNTED, "Gone": OperationStatements(1, 1, 0)})
    # Rows depend on what is stored.
    now = {
        "Create": OperationStatements(3, 5, 2),
        "Read": OperationStatements(1, 1, 7),
        "New": OperationStatements(1, 1, 0),
    }
    assert differences(target, now) == [
        "Create: 3 statements in 5 round trips, and statements.toml says 2 statements in 4 round trips.",
        "New: 1 statement in 1 round trip, and statements.toml says nothing.",
        "Gone: in statements.toml, and the workload has no such operation.",
    ]


def test_a_file_that_cannot_be_read_is_named(target: Target) -> None:
    statements_file(target).write_text("[operations]\nCreate = 2\n")
    with pytest.raises(BakeoffError, match=r"statements\.toml: .*conform shelf-rest --statements write"):
        stated(target)
