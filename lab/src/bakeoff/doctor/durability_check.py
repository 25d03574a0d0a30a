"""Whether the application's database keeps what it acknowledges: everything else is another contest."""

import os
from collections.abc import Iterator, Mapping

from bakeoff.doctor.diagnosis import Diagnosis, State
from bakeoff.errors import BakeoffError
from bakeoff.postgres.databases import application_database, running_instance
from bakeoff.postgres.durability import SETTINGS, is_durable
from bakeoff.postgres.embedded import APPLICATION
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.lock import only_lab


def durability_checks(project: Project) -> Iterator[Diagnosis]:
    """One for each setting; or one that says why they could not be asked for."""
    try:
        settings = _settings(project)
    except BakeoffError as error:
        yield Diagnosis("database", State.UNKNOWN, error.message)
        return
    yield from (durability(name, settings[name]) for name in SETTINGS)


def durability(name: str, value: str) -> Diagnosis:
    """The meaning of a value of one of the settings."""
    if is_durable(name, value):
        return Diagnosis(name, State.OK, value)
    costs = {
        "fsync": "nothing is flushed to disk: every rate is several times too high, and a crash loses the table",
        "synchronous_commit": "commits are acknowledged before they are on disk: rates are several times too high",
        "full_page_writes": "too little WAL is written to recover from a crash: rates are too high",
    }
    remedy = f'psql "$DATABASE_URL" -c "ALTER SYSTEM SET {name} = on" -c "SELECT pg_reload_conf()"'
    return Diagnosis(name, State.WRONG, value, costs[name], remedy)


def _settings(project: Project) -> Mapping[str, str]:
    if not os.environ.get("DATABASE_URL"):
        # A lab that measures has it running: asking does not disturb it.
        running = running_instance(project, APPLICATION)
        if running is not None:
            return _ask(running)
    with only_lab(project.state / "lock"), application_database(project) as server:
        return _ask(server)


def _ask(server: Server) -> Mapping[str, str]:
    with server.connect() as connection:
        rows = connection.execute("SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", [list(SETTINGS)])
        return {str(name): str(value) for name, value in rows.fetchall()}
