"""The metrics database of a test that calls the command line."""

import psycopg

from bakeoff.postgres.server import Server


def metrics(database: Server) -> dict[str, str]:
    """The variable that makes a database the lab's metrics database."""
    return {"METRICS_DATABASE_URL": database.url}


def stored(database: Server, query: str) -> list[tuple[object, ...]]:
    """The rows of a query."""
    with psycopg.connect(database.url) as connection:
        return connection.execute(query.encode()).fetchall()
