"""What the metrics store makes of a connection that breaks off."""

from typing import Any

import psycopg
import pytest

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
        ("unfinished_comparisons", ("a machine",)),
    ],
)
def test_a_connection_that_breaks_off_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, method: str, arguments: tuple[Any, ...]
) -> None:
    monkeypatch.setattr(Server, "connect", lambda _server: BrokenOff())
    store = MetricsStore(Server("postgresql://someone:secret@host/metrics", None, embedded=False))
    with pytest.raises(DatabaseUnreachableError) as told:
        getattr(store, method)(*arguments)
    assert told.value.message == (
        "The connection to the database postgresql://someone@host/metrics was lost: server closed the connection "
        "unexpectedly."
    )
