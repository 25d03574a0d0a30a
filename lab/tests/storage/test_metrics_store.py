"""The metrics store after a connection that breaks off."""

from dataclasses import replace
from typing import Any

import psycopg
import pytest

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import DatabaseUnreachableError, Server
from bakeoff.storage.metrics_store import MetricsStore


class BrokenOff:
    """A connection that was made, and is lost by the first statement."""

    def __enter__(self) -> "BrokenOff":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def execute(self, *_: object) -> None:
        raise psycopg.OperationalError("server closed\nthe connection unexpectedly")


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("end_comparison", (1, "completed", {})),
        ("resume_comparison", (1,)),
        ("change_fastest", (1, None, None)),
        ("unfinished_comparisons", ("a machine",)),
    ],
)
def test_a_connection_that_breaks_off_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, method: str, arguments: tuple[Any, ...]
) -> None:
    monkeypatch.setattr(Server, "connect", lambda _server: BrokenOff())
    store = MetricsStore(Server("postgresql://someone:secret@host/metrics", None, embedded=False))
    with pytest.raises(DatabaseUnreachableError) as reported:
        getattr(store, method)(*arguments)
    assert reported.value.message == (
        "The connection to the database postgresql://someone@host/metrics was lost: server closed the connection "
        "unexpectedly."
    )


@pytest.mark.end_to_end
def test_a_database_of_an_earlier_checkout_is_refused(database: Server) -> None:
    earlier = replace(database, embedded=True)
    earlier.execute_script(
        "CREATE TABLE _yoyo_migration (migration_id text);"
        "INSERT INTO _yoyo_migration VALUES ('0001_create_metrics_schema'), ('0017_record_gauges')"
    )
    with pytest.raises(BakeoffError) as refused:
        MetricsStore(earlier).migrate()
    assert refused.value.message == (
        f"The metrics database {earlier.shown_url} is of another version of bakeoff. Read its runs with that version; "
        f"to start again, delete {earlier.data_directory()}."
    )
