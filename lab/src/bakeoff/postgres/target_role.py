"""The role that targets connect as: it may make and fill tables, and change no setting of the server."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from psycopg import Connection

NAME = "bakeoff_target"


def target_url(url: str, password: str) -> str:
    """The superuser's URL as that of the role; its password follows from the superuser's, and not the other way."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{NAME}:{_password(password)}@{parts.netloc.rpartition('@')[2]}"))


def make_target_role(connection: "Connection", password: str) -> None:
    """Makes the role in the connection's database, or makes it what it was: settings that it kept are gone."""
    # Statements of a block have no parameters.
    connection.execute("SELECT set_config('bakeoff.target_password', %s, false)", [_password(password)])
    connection.execute(Path(__file__).with_name("target_role.sql").read_bytes())


def _password(password: str) -> str:
    return hashlib.sha256(f"{NAME}:{password}".encode()).hexdigest()[:32]
