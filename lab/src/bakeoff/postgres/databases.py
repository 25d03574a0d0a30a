"""Which servers a command uses: the user's own where the environment names them, else embedded ones."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bakeoff.postgres.server import Server, permit_reset, user_server
from bakeoff.project import Project

# What the embedded instances need is imported where there is one: a list of stored runs does not wait for it.

_METRICS_PARTS = ("DB_HOST", "DB_PORT", "DB_NAME", "DB_USER", "DB_PASSWORD")


@contextlib.contextmanager
def application_database(project: Project) -> Iterator[Server]:
    """The database that targets store into: DATABASE_URL, or the embedded instance."""
    url = os.environ.get("DATABASE_URL")
    if url:
        server = user_server(url, "DATABASE_URL")
        permit_reset(server)
        yield server
    else:
        from bakeoff.postgres import embedded
        from bakeoff.postgres.binaries import find_installation

        with embedded.running(find_installation(project), embedded.APPLICATION, project.logs) as server:
            yield server


@contextlib.contextmanager
def development_database(project: Project) -> Iterator[Server]:
    """The database of `./bakeoff up`: DATABASE_URL, or an embedded instance apart from the one that runs use."""
    url = os.environ.get("DATABASE_URL")
    if url:
        yield user_server(url, "DATABASE_URL")
    else:
        from bakeoff.postgres.binaries import find_installation
        from bakeoff.postgres.embedded import DEVELOPMENT
        from bakeoff.postgres.sharing import shared

        with shared(find_installation(project), DEVELOPMENT, project.logs) as server:
            yield server


@dataclass(frozen=True)
class RunningDatabase:
    """An embedded database that a command is using now."""

    used_by: str
    server: Server


def running_database(project: Project) -> RunningDatabase | None:
    """The embedded database of `up`, or else that of a run, where one is running."""
    from bakeoff.postgres.binaries import find_installation
    from bakeoff.postgres.embedded import APPLICATION, DEVELOPMENT, found_running

    installation = find_installation(project)
    for kind, used_by in ((DEVELOPMENT, "up"), (APPLICATION, "run")):
        instance = found_running(installation, kind)
        if instance is not None:
            return RunningDatabase(used_by, instance.server)
    return None


@contextlib.contextmanager
def metrics_database(project: Project) -> Iterator[Server]:
    """The database that results are stored in: METRICS_DATABASE_URL, or DB_HOST and its kin, or the embedded one.

    Several labs may use it at once, unlike the application's.
    """
    url = metrics_url(os.environ)
    if url:
        yield user_server(url, "METRICS_DATABASE_URL")
    else:
        from bakeoff.postgres.binaries import find_installation
        from bakeoff.postgres.embedded import METRICS
        from bakeoff.postgres.sharing import shared

        with shared(find_installation(project), METRICS, project.logs) as server:
            yield server


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


def settings_file() -> Path:
    """The published settings of the embedded instances."""
    return Path(__file__).with_name("embedded.conf")
