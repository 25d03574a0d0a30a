"""The role that targets connect as: it may make and fill tables, and change no setting of the server."""

import hashlib
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from psycopg import sql

if TYPE_CHECKING:
    from psycopg import Connection

NAME = "bakeoff_target"


def target_url(url: str, password: str) -> str:
    """The superuser's URL as that of the role; its password follows from the superuser's, and not the other way."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{NAME}:{_password(password)}@{parts.netloc.rpartition('@')[2]}"))


def make_target_role(connection: "Connection", password: str) -> None:
    """Makes the role in the connection's database, or makes it what it was: settings that it kept are gone.

    Tables and functions that targets of another role have left become its own, so that it can change them.
    """
    role = sql.Identifier(NAME)
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [NAME]).fetchone() is None:
        connection.execute(sql.SQL("CREATE ROLE {}").format(role))
    attributes = sql.SQL("ALTER ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD {}")
    connection.execute(attributes.format(role, sql.Literal(_password(password))))
    connection.execute(sql.SQL("ALTER ROLE {} RESET ALL").format(role))
    database = sql.Identifier(connection.info.dbname)
    connection.execute(sql.SQL("GRANT CREATE, TEMPORARY ON DATABASE {} TO {}").format(database, role))
    connection.execute(sql.SQL("GRANT CREATE, USAGE ON SCHEMA public TO {}").format(role))
    # Tables that the lab makes for targets that run already.
    for kind in ("TABLES", "SEQUENCES"):
        defaults = f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON {kind} TO {NAME}"
        connection.execute(defaults.encode())
    tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    for (table,) in tables:
        connection.execute(sql.SQL("ALTER TABLE public.{} OWNER TO {}").format(sql.Identifier(table), role))

    # Quoted as ALTER wants it; those of extensions stay theirs.
    routines = connection.execute(
        "SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS "
        "(SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')"
    ).fetchall()
    for (routine,) in routines:
        connection.execute(f"ALTER ROUTINE {routine} OWNER TO {NAME}".encode())


def _password(password: str) -> str:
    return hashlib.sha256(f"{NAME}:{password}".encode()).hexdigest()[:32]
