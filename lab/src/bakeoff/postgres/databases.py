"""Which servers a command uses: the user's own where the environment names them, else embedded ones."""

import os
import shlex
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from urllib.parse import quote

from bakeoff.errors import UsageError
from bakeoff.postgres.binaries import EMBEDDED, data_folders, find_installation
from bakeoff.postgres.embedded import (
    APPLICATION,
    DEVELOPMENT,
    METRICS,
    Instance,
    InstanceKind,
    found_running,
)
from bakeoff.postgres.server import Server, permit_reset, user_server
from bakeoff.postgres.sharing import shared
from bakeoff.project import Project

_METRICS_PARTS = ("DB_HOST", "DB_PORT", "DB_NAME", "DB_USER", "DB_PASSWORD")


def application_database(project: Project, postgres: str = EMBEDDED) -> AbstractContextManager[Server]:
    """The database that targets store into: DATABASE_URL, or an instance of the PostgreSQL that they choose."""
    instance = application_instance(project, postgres)
    if instance is not None:
        return instance
    server = user_server(os.environ["DATABASE_URL"], "DATABASE_URL")
    permit_reset(server)
    return nullcontext(server)


def application_instance(
    project: Project, postgres: str = EMBEDDED, kind: InstanceKind = APPLICATION
) -> Instance | None:
    """The lab's own server for targets, which it may crash; None where DATABASE_URL names another."""
    if os.environ.get("DATABASE_URL"):
        return None
    return Instance(find_installation(project, postgres), kind, project.logs)


def development_database(project: Project, postgres: str = EMBEDDED) -> AbstractContextManager[Server]:
    """The database of `./bakeoff up`: DATABASE_URL, or an embedded instance apart from the one that runs use."""
    if url := os.environ.get("DATABASE_URL"):
        return nullcontext(user_server(url, "DATABASE_URL"))
    return shared(find_installation(project, postgres), DEVELOPMENT, project.logs)


def one_choice(choices: Mapping[str, str]) -> str:
    """The PostgreSQL that all targets of a command choose. Raises UsageError where they differ and the lab starts one.

    `choices` are those of `[storage] postgres` by target.
    """
    by_choice = {choice: name for name, choice in choices.items()}
    if len(by_choice) > 1 and not os.environ.get("DATABASE_URL"):
        words = " and ".join(f'"{choice}" ({name})' for choice, name in by_choice.items())
        raise UsageError(
            f"[storage] postgres of these targets differs: {words}. One command uses one server, since ratios across "
            "servers are not comparable. Choose one for all, name targets that share one, or set DATABASE_URL."
        )
    return next(iter(by_choice), EMBEDDED)


def last_choice(project: Project) -> str:
    """The PostgreSQL whose application database was started last."""
    # PostgreSQL writes its command line there.
    started = [folder / "application" / "postmaster.opts" for folder in data_folders(project)]
    newest = max((path for path in started if path.is_file()), key=lambda path: path.stat().st_mtime, default=None)
    if newest is None or newest == started[0]:
        return EMBEDDED
    return str(Path(shlex.split(newest.read_text("utf-8"))[0]).parent)


def running_database(project: Project) -> tuple[str, Server] | None:
    """The command that uses an embedded database now, `up` or else `run`, and the database."""
    for kind, used_by in ((DEVELOPMENT, "up"), (APPLICATION, "run")):
        server = running_instance(project, kind)
        if server is not None:
            return used_by, server
    return None


def running_instance(project: Project, kind: InstanceKind) -> Server | None:
    """The instance of a kind that another lab has started, of whichever PostgreSQL."""
    found = (found_running(folder, kind) for folder in data_folders(project))
    return next((server for server in found if server is not None), None)


def metrics_database(project: Project) -> AbstractContextManager[Server]:
    """The database that results are stored in: METRICS_DATABASE_URL, or DB_HOST and its kin, or the embedded one.

    Several labs may use it at once, unlike the application's.
    """
    if url := metrics_url(os.environ):
        return nullcontext(user_server(url, "METRICS_DATABASE_URL"))
    return shared(find_installation(project), METRICS, project.logs)


def metrics_url(environment: Mapping[str, str]) -> str | None:
    """The URL that the environment gives for the metrics database, or None."""
    if environment.get("METRICS_DATABASE_URL"):
        return environment["METRICS_DATABASE_URL"]
    if not any(environment.get(part) for part in _METRICS_PARTS):
        return None
    host = environment.get("DB_HOST", "postgres-metrics")
    port = environment.get("DB_PORT", "5432")
    name = environment.get("DB_NAME", "performance_metrics")
    user = environment.get("DB_USER", "postgres")
    password = environment.get("DB_PASSWORD", "password")
    return f"postgresql://{quote(user, safe='')}:{quote(password, safe='')}@{host}:{port}/{quote(name, safe='')}"
