"""The lookup of rows, in a real PostgreSQL."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from bakeoff.conformance.case import Call, Case, Row
from bakeoff.conformance.stored_rows import PostgresRows
from bakeoff.postgres.server import Server

if TYPE_CHECKING:
    from psycopg import Connection

pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.skipif("TEST_DATABASE_URL" not in os.environ, reason="./bakeoff test gives TEST_DATABASE_URL"),
]


@pytest.fixture
def connection() -> "Iterator[Connection]":
    with Server(os.environ["TEST_DATABASE_URL"], None, embedded=False).connect() as connection:
        connection.execute("CREATE TEMPORARY TABLE things (kind text, id text, body jsonb)")
        connection.execute(
            """INSERT INTO things VALUES
            ('k', 'mine', '{"bb": 1.0, "a": 2}'), ('mine/x', '100%', '{}'),
            ('k', 'mine-not', '1'), ('k', 'not/mine', '1')"""
        )
        yield connection


AUDIT = """-- % a comment
SELECT ARRAY[kind, id], body FROM things WHERE id LIKE '%' ORDER BY id;
"""


def test_a_case_sees_its_own_rows_as_postgresql_prints_them(connection: "Connection") -> None:
    rows = PostgresRows(connection, AUDIT).of(Case("mine", "s", "r", Call.SINGLE, (), None, None, None, None))

    assert sorted(rows, key=lambda row: row.key) == [
        Row(("k", "mine"), '{"a": 2, "bb": 1.0}'),
        Row(("mine/x", "100%"), "{}"),
    ]
