"""The port, database, folder and variables that the programs of a target are given."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from bakeoff.postgres.server import POSTGRESQL_PORT, Server, url_at
from bakeoff.processes.launching import PROCESSES, Launcher, Program, own_user
from bakeoff.targets.manifest import Target
from bakeoff.targets.placeholders import Placeholders

# Placeholders for programs that take no URL, or one of another form, such as JDBC's; and libpq's names of them.
_PARTS = {"host": "host", "port": "port", "name": "dbname", "user": "user", "password": "password"}


def parts_of_database(url: str | None) -> dict[str, str | None]:
    """The placeholders of a database: its URL and the parts of it, each None where there is no database."""
    known = {} if url is None else {"port": str(POSTGRESQL_PORT), **conninfo_to_dict(url)}
    parts = {f"database_{name}": None if url is None else str(known.get(key, "")) for name, key in _PARTS.items()}
    return {"database_url": url, **parts}


@dataclass(frozen=True)
class Surroundings:
    """The port to listen on and the address for it, the database or the folder of files, the settings' variables."""

    port: int
    server: Server | None = None
    state: Path | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    bind: str = PROCESSES.bind
    launcher: Launcher = PROCESSES

    def placeholders(self, target: Target) -> Placeholders:
        """Those of one start of the target."""
        state = None if self.state is None else str(self.state)
        return Placeholders(target, {"port": str(self.port), **parts_of_database(self._database_url), "state": state})

    def variables(self, target: Target, placeholders: Placeholders) -> dict[str, str]:
        """The environment of the target's programs, without what they inherit; its manifest's before the lab's own."""
        run = target.manifest.run
        database = {} if self._database_url is None else {"DATABASE_URL": self._database_url}
        if self.server is not None and self.server.read_url is not None and run.read_url_variable is not None:
            database[run.read_url_variable] = url_at(self.server.read_url, self.launcher.address)
        own = {"BIND": self.bind, run.port_variable: str(self.port)}
        return {**database, **own, **placeholders.fill_all(run.environment), **self.settings}

    def program(
        self,
        target: Target,
        role: str,
        command: Sequence[str],
        variables: Mapping[str, str],
        log: Path,
        port: int | None = None,
    ) -> Program:
        """One of the target's own programs; `port` is where it listens, if it does."""
        return Program(
            role=role,
            command=command,
            log=log,
            inherited=inherited_by(target, os.environ),
            passed_on=passed_into_a_container(target, os.environ),
            environment=variables,
            directory=target.working_directory,
            image=target.build.image,
            port=port,
            folders=[] if self.state is None else [self.state],
            user="" if self.state is None else own_user(),
        )

    @property
    def _database_url(self) -> str | None:
        server = self.server
        return None if server is None else url_at(server.targets_url or server.url, self.launcher.address)


# Variables that programs of any kind need, and where a toolchain's run time is found.
_FOR_ALL = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "JAVA_HOME", "LD_LIBRARY_PATH")
_FOR_ALL_PREFIX = "LC_"


def passed_into_a_container(target: Target, environment: Mapping[str, str]) -> dict[str, str]:
    """Those that a container of it gets: what programs need is of its image."""
    named = {*target.manifest.run.inherits, *(setting.variable for setting in target.settings)}
    return {name: value for name, value in environment.items() if name in named}


def inherited_by(target: Target, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of the lab's environment that the target may see."""
    named = {*_FOR_ALL, *target.manifest.run.inherits, *(setting.variable for setting in target.settings)}
    return {name: value for name, value in environment.items() if name in named or name.startswith(_FOR_ALL_PREFIX)}
