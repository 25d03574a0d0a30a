"""A running target on a fresh table, started by the lab or attached."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from bakeoff.errors import BakeoffError
from bakeoff.options.variant import Variant
from bakeoff.postgres.binaries import find_installation
from bakeoff.postgres.extensions import create_extension
from bakeoff.postgres.layout import Layout, layout_of
from bakeoff.postgres.pooler import CONFIGURATION, PROGRAM, Pooler
from bakeoff.postgres.replica import NAME as REPLICA
from bakeoff.postgres.replica import Replica
from bakeoff.postgres.scripts import run_script
from bakeoff.postgres.server import Server
from bakeoff.processes.launching import PROCESSES, Launcher
from bakeoff.running.isolation import Isolation, pinned_to
from bakeoff.running.target_limits import limited
from bakeoff.running.testbed import Testbed
from bakeoff.sampling.gauges import GaugeEndpoint
from bakeoff.targets.access import Access
from bakeoff.targets.attached import AttachedTarget
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import Target
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import Workload
from bakeoff.workload.overlays import Overlay


class Service(Protocol):
    """What a run needs to know of a target at work. One that the lab did not start has no `pids` and no `start_s`."""

    access: Access

    @property
    def pids(self) -> Mapping[str, int]:
        """Its processes by name, for sampling; the one that answers first."""
        ...

    @property
    def gauge_endpoints(self) -> Sequence[GaugeEndpoint]:
        """Where its processes show gauges."""
        ...

    @property
    def container(self) -> str | None:
        """The name of the container that the lab has started for it."""
        ...

    @property
    def database_pids(self) -> Sequence[int]:
        """Processes of the database that were started for it, beside the server itself."""
        ...

    @property
    def start_s(self) -> float | None:
        """Seconds from start to healthy."""
        ...

    def facts(self) -> Mapping[str, str]:
        """What was counted of what stands behind it, for a run's record."""
        ...

    @property
    def has_ended(self) -> bool:
        """Whether it is known to have ended without being stopped."""
        ...

    def ended_error(self) -> BakeoffError:
        """The error that says how it ended."""
        ...


class _Started:
    """A target that the lab has started; the pool of its connections is a process of it, a replica of the database."""

    def __init__(self, process: TargetProcess, pooler: Pooler | None, replica: Replica | None) -> None:
        self._process = process
        self._pooler = pooler
        self._replica = replica
        self.access = process.access

    @property
    def pids(self) -> Mapping[str, int]:
        return {**self._process.pids, **({} if self._pooler is None else {PROGRAM: self._pooler.pid})}

    @property
    def gauge_endpoints(self) -> Sequence[GaugeEndpoint]:
        return self._process.gauge_endpoints

    @property
    def container(self) -> str | None:
        return self._process.container

    @property
    def database_pids(self) -> Sequence[int]:
        return [] if self._replica is None else [self._replica.pid]

    @property
    def start_s(self) -> float | None:
        return self._process.start_s

    @property
    def has_ended(self) -> bool:
        return self._process.has_ended or self._failure is not None

    def ended_error(self) -> BakeoffError:
        return self._failure or self._process.ended_error()

    def facts(self) -> Mapping[str, str]:
        return {} if self._replica is None else {"replica_transactions": str(self._replica.transactions())}

    @property
    def _failure(self) -> BakeoffError | None:
        around = (self._pooler, self._replica)
        return next((failure for each in around if each is not None and (failure := each.failure) is not None), None)


@contextlib.contextmanager
def at_work(
    testbed: Testbed,
    target: Target,
    workload: Workload,
    variant: Variant,
    log: Path,
    isolation: Isolation | None = None,
) -> Iterator[Service]:
    """The target, healthy and with a fresh table, while the block lasts."""
    check = health_check(workload, target.protocol)
    attached = testbed.attached.get(target.name)
    if attached is not None:
        if testbed.server is not None:
            fresh_table(workload, testbed.server, variant.overlay, with_schema=True)
        with AttachedTarget(target, attached, check) as service:
            yield service
        return
    layout = None if testbed.server is None else fresh_table(workload, testbed.server, variant.overlay)
    isolation = isolation or Isolation()
    with contextlib.ExitStack() as stack:
        replica = _replica(testbed, variant, log)
        if replica is not None:
            with pinned_to(isolation.pin.get("database")):
                stack.enter_context(replica)
        server = testbed.server if replica is None else replica.server
        pooler = _pooler(testbed, server, variant, log)
        if pooler is not None:
            with pinned_to(isolation.pin.get("target")):
                stack.enter_context(pooler)
        process = TargetProcess(
            target,
            server if pooler is None else pooler.server,
            check,
            log,
            settings=variables_of(target, variant.settings),
            secured=testbed.secured(tls=variant.tls, token=variant.token),
            # A container has its limits from its launcher.
            before=stack.enter_context(limited(isolation)) if testbed.launcher is PROCESSES else (),
            bind=testbed.targets_listen_on or "",
            launcher=testbed.launcher,
        )
        with pinned_to(isolation.pin.get("target")):
            stack.enter_context(process)
        if layout is not None:
            layout.check(target.name)
        yield _Started(process, pooler, replica)


def _replica(testbed: Testbed, variant: Variant, log: Path) -> Replica | None:
    """What targets read from in a variant."""
    if not variant.read_replica or testbed.server is None:
        return None
    return Replica(testbed.server, find_installation(testbed.project), log.with_suffix(f".{REPLICA}.log"))


def _pooler(testbed: Testbed, server: Server | None, variant: Variant, log: Path) -> Pooler | None:
    """What stands between target and database in a variant; the lab's own connections do not pass through it."""
    if variant.pgbouncer is None or server is None:
        return None
    account = find_installation(testbed.project)
    return Pooler(
        server,
        variant.pgbouncer,
        variant.pgbouncer_connections,
        testbed.project.root / CONFIGURATION,
        log.with_suffix(f".{PROGRAM}.log"),
        account.user,
        account.group,
    )


def reached_by(launcher: Launcher, access: Access) -> Access:
    """How an engine reaches what the lab reaches like this."""
    host, port = launcher.address(access.host, access.port)
    return replace(access, host=host, port=port)


def fresh_table(
    workload: Workload, server: Server, overlay: str | None = None, *, with_schema: bool = False
) -> Layout | None:
    """Drops what earlier runs stored, lays out an overlay's tables, and writes out what is left in memory.

    Without an overlay a target makes the table when it starts; `with_schema` makes it for one that runs already.
    """
    reset, schema = workload.sql("reset"), workload.sql("schema")
    if reset is not None:
        server.execute_script(reset)
    if overlay is None and with_schema and schema is not None:
        server.execute_script(schema)
    layout = None if overlay is None else _laid_out(workload, server, workload.overlays[overlay])
    server.checkpoint()
    return layout


def _laid_out(workload: Workload, server: Server, overlay: Overlay) -> Layout:
    """The tables of an overlay, which belong to the role of targets; a target's own schema then finds them there."""
    for extension in overlay.extensions:
        create_extension(server, extension)
    schema = workload.file("schema")
    files = [overlay.file] if schema is None else [overlay.file, schema]
    for file in files if overlay.before_schema else reversed(files):
        run_script(server.as_targets, file, f"Correct it, or leave out --overlay {overlay.name}.")
    return layout_of(server, overlay.name)


def variables_of(target: Target, settings: Mapping[str, str]) -> dict[str, str]:
    """The target's own environment variables for settings of the lab's names."""
    return {target.setting_variable(name): value for name, value in settings.items()}
