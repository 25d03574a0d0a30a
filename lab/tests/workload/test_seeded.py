"""The number of rows of a workload's seed: in templates, in modes, and where it is declared wrongly."""

import pytest

from bakeoff.workload.declaration import Declaration, DeclaredSeed, HttpCall, Operation
from bakeoff.workload.seeded import seed_problems, with_rows

SEED = DeclaredSeed(sql="seed.sql", rows=1000, rows_for_checks=10)
OPERATION = Operation(
    name="Get",
    http=HttpCall(method="GET", path="/${id=integer 1 seeded}/seeded", expect=200, reply={"/id": "${value.id}"}),
    message='{"of":${integer 1 seeded},"word":"seeded"}',
)


def declared(**members: object) -> Declaration:
    return Declaration(**{"database": "postgresql", "schema": "schema.sql", "operations": (OPERATION,), **members})  # type: ignore[arg-type]


@pytest.mark.parametrize(("rows", "number"), [(7, "7"), (None, "10")])
def test_templates_have_the_number_in_slots_alone(rows: int | None, number: str) -> None:
    (operation,) = with_rows(declared(seed=SEED), rows).operations
    assert operation.http is not None
    assert operation.http.path == f"/${{id=integer 1 {number}}}/seeded"
    assert operation.message == f'{{"of":${{integer 1 {number}}},"word":"seeded"}}'


def test_smoke_runs_have_the_rows_for_checks() -> None:
    assert [SEED.rows_in(mode) for mode in ("smoke", "quick", "rate")] == [10, 1000, 1000]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"seed": SEED}, None),
        ({"seed": None}, "operation Get names seeded, the number of rows of seed: declare a seed."),
        ({"seed": SEED, "database": "none"}, 'a seed fills tables, and database = "none": remove it.'),
        ({"seed": SEED, "schema": None}, "a seed fills the tables that schema makes: name an SQL file as the schema."),
    ],
)
def test_a_seed_that_cannot_be_stored_is_refused(members: dict[str, object], words: str | None) -> None:
    assert [found for _, found in seed_problems(declared(**members))] == ([] if words is None else [words])
