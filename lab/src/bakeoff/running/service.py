"""A running target on a fresh table, started by the lab or attached."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from bakeoff.errors import BakeoffError
from bakeoff.factors.variant import Variant
from bakeoff.launching import PROCESSES, Launcher
from bakeoff.postgres.server import Server
from bakeoff.running.bench import Bench
from bakeoff.running.isolation import Isolation, pinned_to
from bakeoff.running.target_limits import limited
from bakeoff.targets.access import Access
from bakeoff.targets.attached import AttachedTarget
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import Target
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import Workload


class Service(Protocol):
    """What a run needs to know of a target at work. One that the lab did not start has no `pids` and no `start_s`."""

    access: Access

    @property
    def pids(self) -> Mapping[str, int]:
        """Its processes by name, for sampling; the one that answers first."""
        ...

    @property
    def container(self) -> str | None:
        """The name of the container that the lab has started for it."""
        ...

    @property
    def start_s(self) -> float | None:
        """Seconds from start to healthy."""
        ...

    @property
    def has_ended(self) -> bool:
        """Whether it is known to have ended without being stopped."""
        ...

    def ended_error(self) -> BakeoffError:
        """The error that says how it ended."""
        ...


@contextlib.contextmanager
def at_work(
    bench: Bench,
    target: Target,
    workload: Workload,
    variant: Variant,
    log: Path,
    isolation: Isolation | None = None,
) -> Iterator[Service]:
    """The target, healthy and with a fresh table, while the block lasts."""
    check = health_check(workload, target.protocol)
    attached = bench.attached.get(target.name)
    if attached is not None:
        if bench.server is not None:
            fresh_table(workload, bench.server, with_schema=True)
        with AttachedTarget(target, attached, check) as service:
            yield service
        return
    if bench.server is not None:
        fresh_table(workload, bench.server)
    isolation = isolation or Isolation()
    with contextlib.ExitStack() as stack:
        process = TargetProcess(
            target,
            bench.server,
            check,
            log,
            settings=variables_of(target, variant.settings),
            secured=bench.secured(tls=variant.tls, token=variant.token),
            # A container has its limits from its launcher.
            before=stack.enter_context(limited(isolation)) if bench.launcher is PROCESSES else (),
            bind=bench.targets_listen_on or "",
            launcher=bench.launcher,
        )
        with pinned_to(isolation.pin.get("target")):
            stack.enter_context(process)
        yield process


def reached_by(launcher: Launcher, access: Access) -> Access:
    """How an engine reaches what the lab reaches like this."""
    host, port = launcher.address(access.host, access.port)
    return replace(access, host=host, port=port)


def fresh_table(workload: Workload, server: Server, *, with_schema: bool = False) -> None:
    """Drops what earlier runs stored and writes out what they left in memory.

    A target makes the table when it starts; `with_schema` makes it for one that runs already.
    """
    for script in (workload.sql("reset"), workload.sql("schema") if with_schema else None):
        if script is not None:
            server.execute_script(script)
    server.checkpoint()


def variables_of(target: Target, settings: Mapping[str, str]) -> dict[str, str]:
    """The target's own environment variables for settings of the lab's names."""
    return {target.setting_variable(name): value for name, value in settings.items()}
