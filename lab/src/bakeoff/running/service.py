"""A running target, started by the lab or attached."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from bakeoff.engines.client import has_client
from bakeoff.errors import BakeoffError
from bakeoff.options.table import EveryRunTable
from bakeoff.options.variant import Variant
from bakeoff.postgres.auxiliary import Auxiliary
from bakeoff.postgres.extensions import create_extension, naming_missing_extension
from bakeoff.postgres.pooler import PROGRAM, pooled
from bakeoff.postgres.relations import Layout, relations_of
from bakeoff.postgres.replica import NAME as REPLICA
from bakeoff.postgres.replica import replicated, transactions_of
from bakeoff.postgres.scripts import run_script
from bakeoff.postgres.server import Server
from bakeoff.processes.launching import Launcher
from bakeoff.running.isolation import limited, pinned_to
from bakeoff.running.testbed import Testbed
from bakeoff.targets.access import Access
from bakeoff.targets.attached import AttachedTarget
from bakeoff.targets.health import HealthCheck, Listens, health_check
from bakeoff.targets.manifest import Target
from bakeoff.targets.process import TargetProcess
from bakeoff.targets.settings import variables_of
from bakeoff.workload.loader import Workload
from bakeoff.workload.overlays import Overlay

_Program = TypeVar("_Program")


@dataclass(frozen=True)
class Service:
    """A target at work, the pool of its connections, the replica that it reads from, and the layout of its tables.

    One that the lab did not start has no `pids` and no `start_s`.
    """

    process: TargetProcess | AttachedTarget
    pooler: Auxiliary | None = None
    replica: Auxiliary | None = None
    layout: Layout | None = None

    @property
    def access(self) -> Access:
        return self.process.access

    @property
    def pids(self) -> Mapping[str, int]:
        """Its processes and its pool by name, for sampling; the one that answers first."""
        return {**self.process.pids, **({} if self.pooler is None else {PROGRAM: self.pooler.process.pid})}

    @property
    def database_pids(self) -> Sequence[int]:
        """Processes of the database that were started for it, beside the server itself."""
        return [] if self.replica is None else [self.replica.process.pid]

    def kill(self) -> None:
        """Ends the target at once; one that the lab did not start is left alone."""
        if isinstance(self.process, TargetProcess):
            self.process.kill()

    def facts(self) -> Mapping[str, str]:
        """Counts of the replica, for a run's record."""
        return {} if self.replica is None else {"replica_transactions": str(transactions_of(self.replica))}

    @property
    def has_ended(self) -> bool:
        """Whether it is known to have ended without being stopped."""
        return self.process.has_ended or self._failure is not None

    def ended_error(self) -> BakeoffError:
        return self._failure or self.process.ended_error()

    @property
    def _failure(self) -> BakeoffError | None:
        around = (self.pooler, self.replica)
        return next((failure for each in around if each is not None and (failure := each.failure) is not None), None)


@contextlib.contextmanager
def at_work(
    testbed: Testbed,
    target: Target,
    workload: Workload,
    variant: Variant,
    log: Path,
    isolation: EveryRunTable = EveryRunTable(),  # noqa: B008 — it is frozen
) -> Iterator[Service]:
    """The target, healthy, while the block lasts. The state that it starts from is the testbed's."""
    attached = testbed.attached.get(target.name)
    check: HealthCheck = Listens()
    if attached is None or has_client():
        check = health_check(workload, target.protocol, testbed.client, target.manifest.ready)
    server = testbed.server
    layout = None
    if server is not None and variant.overlay is not None:
        with naming_missing_extension(server):
            layout = _laid_out(workload, server, workload.overlays[variant.overlay])
    if attached is not None:
        with AttachedTarget(target, attached, check, testbed.progress.say) as running:
            yield Service(running, layout=layout)
        return
    with contextlib.ExitStack() as stack:

        def pinned(role: str, program: contextlib.AbstractContextManager[_Program]) -> _Program:
            with pinned_to(isolation.pin.get(role)):
                return stack.enter_context(program)

        replica = pooler = None
        if variant.read_replica and server is not None:
            own_log = log.with_suffix(f".{REPLICA}.log")
            replica = pinned("database", replicated(server, testbed.installation, own_log))
            server = replica.server
        if variant.pgbouncer is not None and server is not None:
            mode, connections = variant.pgbouncer, variant.pgbouncer_connections
            own_log = log.with_suffix(f".{PROGRAM}.log")
            pooler = pinned("target", pooled(server, mode, connections, own_log, testbed.installation))
            server = pooler.server
        process = TargetProcess(
            target,
            server,
            check,
            log,
            settings=variables_of(target, variant.settings),
            secured=testbed.secured(tls=variant.tls, token=variant.token),
            # A container has its limits from its launcher.
            before=stack.enter_context(limited(isolation)) if not testbed.launcher.in_containers else (),
            bind=testbed.targets_listen_on or "",
            launcher=testbed.launcher,
            state=testbed.state,
            report=testbed.progress.say,
        )
        with naming_missing_extension(server):
            pinned("target", process)
        if layout is not None:
            layout.check(target.name)
        yield Service(process, pooler, replica, layout)


def reached_by(launcher: Launcher, access: Access) -> Access:
    """How an engine reaches what the lab reaches like this."""
    host, port = launcher.address(access.host, access.port)
    return replace(access, host=host, port=port)


def _laid_out(workload: Workload, server: Server, overlay: Overlay) -> Layout:
    """The tables of an overlay, which belong to the role of targets; a target's own schema then finds them there."""
    for extension in overlay.extensions:
        create_extension(server, extension)
    schema = workload.file("schema")
    files = [overlay.file] if schema is None else [overlay.file, schema]
    for file in files if overlay.before_schema else reversed(files):
        run_script(server.as_targets, file, f"Correct it, or leave out --overlay {overlay.name}.")
    server.checkpoint()
    return Layout(server, overlay.name, relations_of(server))
