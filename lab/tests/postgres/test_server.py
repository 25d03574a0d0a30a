"""The URLs of a server: which are accepted, and the same server's other databases."""

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server, user_server


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("postgresql://u:p@h:5433/db?sslmode=require", "postgresql://u:p@h:5433/a%20b?sslmode=require"),
        ("postgresql:///db?host=/run/postgresql", "postgresql:///a%20b?host=/run/postgresql"),
        ("postgres:///?dbname=db&host=%2Frun", "postgres:///a%20b?host=%2Frun"),
        ("postgresql://u@/db", "postgresql://u@/a%20b"),
        ("postgresql:///db", "postgresql:///a%20b"),
    ],
)
def test_another_database_of_a_server_has_the_same_address(url: str, other: str) -> None:
    assert Server(url, None, embedded=False).in_database("a b").url == other


@pytest.mark.parametrize("text", ["host=/run/postgresql dbname=db password=secret", "localhost/db", "postgresql:/db"])
def test_what_is_no_url_is_refused_with_its_form(text: str) -> None:
    with pytest.raises(BakeoffError) as refused:
        user_server(text, "DATABASE_URL")

    assert refused.value.message == (
        "DATABASE_URL is not a URL: write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, or for a Unix socket "
        "as postgresql:///DATABASE?host=/FOLDER."
    )
