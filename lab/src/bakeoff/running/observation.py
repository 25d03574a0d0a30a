"""Observes the processes or containers of a run's roles, and whether they stayed the same."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from bakeoff.containers.container import Container, find_container, usage_of
from bakeoff.containers.docker import DockerEngine
from bakeoff.engines.agents import Agents
from bakeoff.errors import BakeoffError
from bakeoff.options.option import changed
from bakeoff.options.table import EveryRunTable
from bakeoff.postgres.server import POSTGRESQL_PORT
from bakeoff.running.service import Service
from bakeoff.running.testbed import Testbed
from bakeoff.sampling.listener import listener_at
from bakeoff.sampling.process_tree import ProcessTree, Together, UsageSource

# The name of the database in --container.
DATABASE = "database"


@dataclass(frozen=True)
class ObservedRole:
    """One role in sight: what samples it, what a run's record says of it, and what must still hold at the run's end.

    `processes` samples each of several processes apart, by name; it is empty where the role is one process.
    `limits` are those that others have set, in the format of the lab's own.
    """

    source: UsageSource
    facts: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[], None] = lambda: None
    processes: Mapping[str, UsageSource] = field(default_factory=dict)


@dataclass(frozen=True)
class Observation:
    """The roles in sight, by name; a role that is not among them is out of sight, and nothing is claimed of it."""

    roles: Mapping[str, ObservedRole]

    @property
    def facts(self) -> dict[str, str]:
        """For a run's record, such as `target_image`."""
        return {
            f"{role}_{name}": fact for role, observed in self.roles.items() for name, fact in observed.facts.items()
        }

    @property
    def limits(self) -> Mapping[str, str]:
        """Limits of the target, for the run's settings; empty where it has none."""
        return self.roles["target"].limits if "target" in self.roles else {}

    def beside(self, role: str, observed: ObservedRole | None) -> "Observation":
        """The observation with a role more, where that is in sight."""
        return self if observed is None else Observation({**self.roles, role: observed})

    @property
    def sources(self) -> dict[str, UsageSource]:
        return {role: observed.source for role, observed in self.roles.items()}

    @property
    def processes(self) -> Mapping[str, UsageSource]:
        """Sources of each process of a target of several."""
        return self.roles["target"].processes if "target" in self.roles else {}

    def check(self) -> None:
        """Raises BakeoffError when a role is no longer what it was: its figures would be those of two lives."""
        for observed in self.roles.values():
            observed.check()


def observe(testbed: Testbed, target_name: str, service: Service) -> Observation:
    """Observes a running target and the database that it stores into."""
    roles = {"target": _target(testbed, target_name, service), "database": _database(testbed, service.database_pids)}
    return Observation({role: observed for role, observed in roles.items() if observed is not None})


def observe_engine(testbed: Testbed, engine: Agents) -> ObservedRole | None:
    """Observes running engines, processes or containers. The first one's image and limits stand for all."""
    names = engine.containers
    containers = [observed for name in names if (observed := _container(testbed, name, is_own=True)) is not None]
    sources = [observed.source for observed in containers] or [ProcessTree(pid) for pid in engine.pids]
    return ObservedRole(Together(sources), containers[0].facts if containers else {}) if sources else None


def _target(testbed: Testbed, name: str, service: Service) -> ObservedRole | None:
    if service.pids:
        pids = service.pids
        # Separate trees: each remembers what it saw last.
        apart = {process: ProcessTree(pid) for process, pid in pids.items()} if len(pids) > 1 else {}
        return ObservedRole(Together([ProcessTree(pid) for pid in pids.values()]), processes=apart)
    return (
        _container(testbed, service.process.container, is_own=True)
        or _container(testbed, testbed.containers.get(name))
        or _listener(service.access.host, service.access.port)
    )


def _database(testbed: Testbed, beside: Sequence[int]) -> ObservedRole | None:
    """The server, and what was started beside it for a target."""
    server = testbed.server
    if server is None:
        return None
    if server.pid is not None:
        return ObservedRole(Together([ProcessTree(pid) for pid in (server.pid, *beside)]))
    parts = urlsplit(server.url)
    return (
        _container(testbed, server.container, is_own=True)
        or _container(testbed, testbed.containers.get(DATABASE))
        or _listener(parts.hostname or "", parts.port or POSTGRESQL_PORT)
    )


def _container(testbed: Testbed, name: str | None, *, is_own: bool = False) -> ObservedRole | None:
    """A container; the limits of one that the lab has started are the run's own."""
    docker = testbed.docker
    if docker is None or name is None:
        return None
    begun = find_container(docker, name)
    cpus = {} if begun.limit_cpus is None else {"target": begun.limit_cpus}
    memory_bytes = {} if begun.limit_memory_bytes is None else {"target": begun.limit_memory_bytes}
    limits = {} if is_own else changed(EveryRunTable(limit_cpus=cpus, limit_memory_bytes=memory_bytes), EveryRunTable)
    return ObservedRole(usage_of(docker, begun), begun.described(), limits, lambda: _check_same(docker, begun))


def _check_same(docker: DockerEngine, begun: Container) -> None:
    now = find_container(docker, begun.name)
    if (now.id, now.started_at) != (begun.id, begun.started_at):
        raise BakeoffError(
            f"The container {begun.name} was restarted during the run ({begun.started_at}, then "
            f"{now.started_at}): docker logs {begun.name} may show why. Its figures would mix two processes."
        )


def _listener(host: str, port: int) -> ObservedRole | None:
    process = listener_at(host, port)
    if process is None:
        return None

    def check() -> None:
        # True only of the same process: a number that another one got since does not count.
        if not process.is_running():
            raise BakeoffError(f"The process {process.pid}, which listened at {host}:{port}, ended during the run.")

    return ObservedRole(ProcessTree(process.pid), {"process": f"{process.name()} ({process.pid})"}, check=check)
