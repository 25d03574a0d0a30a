"""The testbed that the runs of a command share."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bakeoff.containers.docker import DockerEngine
from bakeoff.engines.agents import Agents
from bakeoff.engines.client import client_of
from bakeoff.engines.here import Here
from bakeoff.engines.transport import Transport
from bakeoff.options.table import DOCKER
from bakeoff.postgres.binaries import EMBEDDED, Installation, find_installation
from bakeoff.postgres.crashable import Crashable
from bakeoff.postgres.server import Server
from bakeoff.processes.launching import PROCESSES, Launcher
from bakeoff.processes.request_client import RequestClient
from bakeoff.project import FORMATS, Project
from bakeoff.running.contender import Contender
from bakeoff.running.prepared_states import PreparedStates
from bakeoff.running.progress import Progress
from bakeoff.running.run_files import RunFiles
from bakeoff.running.run_request import RunRequest
from bakeoff.targets.access import Access
from bakeoff.targets.security import Secured, lab_certificate
from bakeoff.targets.storage import POSTGRESQL, StorageKind
from bakeoff.workload.plan_records import Plan


@dataclass(frozen=True)
class Contained:
    """The part of a testbed in containers: its database, what starts programs there, and one server more for each
    other side that takes turns.
    """

    database: Crashable | None
    docker: DockerEngine
    launcher: Launcher
    opposites: Sequence[Crashable] = ()


@dataclass(frozen=True)
class Testbed:
    """The checkout, the application database (None where no contender stores in one), and the display.

    `attached` are targets that the lab did not start; `containers` are those that targets, or the `database`, run in,
    and `docker` is the engine that knows them. `places` are where agents run, an agent in each; without any they run
    here. `targets_listen_on` is the address of targets that the lab starts, None for the usual one. `launcher` starts
    programs, and `in_containers` is what contenders have that run in containers. `token` is what secured targets ask
    for; it is made for the occasion and nowhere stored. `opposites` are servers like the application database, one for
    each other side that takes turns, and `sides` the number of each contender's side, by its key. `state` is the folder
    of a run that stores in files, and `prepared` are the states that runs get copies of, until the command that entered
    them ends. `database` is the server's own handle where the lab has started it, and may crash it.
    """

    project: Project
    server: Server | None
    progress: Progress
    attached: Mapping[str, Access] = field(default_factory=dict)
    docker: DockerEngine | None = None
    containers: Mapping[str, str] = field(default_factory=dict)
    places: Sequence[Transport] = ()
    launcher: Launcher = PROCESSES
    in_containers: Contained | None = None
    targets_listen_on: str | None = None
    postgres: str = EMBEDDED
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    opposites: Sequence[Crashable] = ()
    sides: Mapping[str, int] = field(default_factory=dict)
    state: Path | None = None
    prepared: PreparedStates = field(default_factory=PreparedStates)
    database: Crashable | None = None

    def secured(self, *, tls: bool, token: bool) -> Secured:
        """The security asked for, with the lab's own certificate."""
        certificate = lab_certificate(self.project.state / "tls") if tls else None
        return Secured(certificate, self.token if token else None)

    @property
    def installation(self) -> Installation:
        """The PostgreSQL that the lab starts for the contenders."""
        return find_installation(self.project, self.postgres)

    @property
    def client(self) -> RequestClient:
        """What sends single requests: health checks and conformance cases."""
        return client_of(self.launcher)

    @property
    def here(self) -> Here:
        """Where agents run that are not elsewhere."""
        return Here(self.launcher, [FORMATS])

    def agents(
        self,
        request: RunRequest,
        plan: Plan,
        files: RunFiles,
        stream_file: Path,
        before_start: Callable[[], None] = lambda: None,
    ) -> Agents:
        """The agents that carry the plan out once entered; they call `before_start` before each start of a phase.

        Ledgers of several are in the folder that takes the ledger's place; streams and logs are beside the merged one.
        """
        log = stream_file.with_name(stream_file.name.replace(".stream.", ".engine.").replace(".jsonl", ".log"))
        places = list(self.places[: request.agents]) or [self.here] * request.agents
        return Agents(request.contender.engine, plan, files.plan, stream_file, log, places, before_start)

    def of(self, contender: Contender, round_number: int = 1) -> "Testbed":
        """The testbed of a contender in a round: where it runs, with the database that it stores in."""
        runs_in = contender.variant.runs_in
        return self.running_in(runs_in).on_server_of(contender, round_number).storing_in(contender.storage)

    def on_server_of(self, contender: Contender, round_number: int) -> "Testbed":
        """The testbed of one side of several. The sides change their servers each round, so that none gains."""
        if not self.has_turns(contender):
            return self
        place = (self.sides[contender.key] + round_number - 1) % (len(self.opposites) + 1)
        if place == 0:
            return self
        database = self.opposites[place - 1]
        return replace(self, server=database.server, database=database)

    def has_turns(self, contender: Contender) -> bool:
        """Whether it has a server to itself, and so can take turns."""
        return bool(self.opposites) and contender.key in self.sides

    def running_in(self, runs_in: str) -> "Testbed":
        """The testbed of a contender that runs there: processes, or docker."""
        if runs_in != DOCKER:
            return self if self.database is None else replace(self, server=self.database.server)
        assert self.in_containers is not None
        own = self.in_containers
        server = None if own.database is None else own.database.server
        return replace(
            self,
            server=server,
            database=own.database,
            docker=own.docker,
            launcher=own.launcher,
            opposites=own.opposites,
        )

    def storing_in(self, kind: StorageKind) -> "Testbed":
        """The testbed of a target with this storage: without the database, unless it stores in that."""
        return self if kind == POSTGRESQL else replace(self, server=None)
