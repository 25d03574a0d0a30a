"""Tables that a contract names stay what they are, whatever else a database holds."""

from dataclasses import replace

import pytest

from bakeoff.postgres.relations import Relation, RequiredTables, relations_of
from bakeoff.postgres.server import Server

TABLE = Relation(1, "r", "p", ("id text", "data jsonb"))
REQUIRED = RequiredTables({"public.notes": TABLE, "public.seen": Relation(2, "v", "p", ())})


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({}, "public.notes is gone"),
        ({"public.notes": replace(TABLE, kind="v")}, "public.notes is a view, and the contract makes a table."),
        ({"public.notes": replace(TABLE, kind="p")}, "is a partitioned table, and"),
        ({"public.notes": replace(TABLE, persistence="u")}, "public.notes is unlogged"),
        (
            {"public.notes": replace(TABLE, columns=("id text", "data json"))},
            "columns of the contract: data jsonb.",
        ),
    ],
)
def test_what_is_not_the_table_of_the_contract_is_named(found: dict[str, Relation], words: str) -> None:
    (problem,) = REQUIRED.problems(found)
    assert words in problem


def test_other_relations_and_further_columns_are_the_targets_own() -> None:
    wider = replace(TABLE, number=7, columns=(*TABLE.columns, "more text"))
    assert list(REQUIRED.problems({"public.notes": wider, "public.own": replace(TABLE, kind="v")})) == []


def test_a_target_may_drop_what_it_made_itself() -> None:
    own = replace(REQUIRED, may_go=True)
    assert list(own.problems({})) == []
    assert list(own.problems({"public.notes": replace(TABLE, kind="f")})) != []


@pytest.mark.end_to_end
def test_the_relations_of_a_database(database: Server) -> None:
    database.execute_script("CREATE TABLE kept (id int, twice int GENERATED ALWAYS AS (id * 2) STORED)")
    database.execute_script("CREATE VIEW shown AS SELECT id FROM kept")
    found = relations_of(database)
    kept, shown = found["public.kept"], found["public.shown"]
    assert (kept.kind, kept.persistence, kept.columns) == ("r", "p", ("id integer", "twice integer, generated"))
    assert (shown.is_table, shown.columns) == (False, ("id integer",))
