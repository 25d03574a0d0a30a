"""The targets of a workload as the end-to-end tests run them: one by one, each with settings of the test's own."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from event_clients import EventClients

from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.project import Project
from bakeoff.running.fresh_state import fresh_table
from bakeoff.targets.health import HealthCheck, health_check
from bakeoff.targets.manifest import STANDARD, TUNED, Target, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import Workload, load_workload
from build_once import build_once, built_client
from checkouts import gallery_targets

NARROW_QUEUE = 4
"""Events that a target with a narrow queue may hold."""

_EVENTS = [target for target in gallery_targets() if target.workload == "events"]
TARGETS = [target.name for target in _EVENTS]
REST_TARGETS = [target.name for target in _EVENTS if target.protocol == "rest"]
# What the strict profile asks is asked of these alone.
TUNED_TARGETS = [target.name for target in _EVENTS if target.target_class == TUNED]
WRITE_MODES = ["group-commit", "per-request"]


def _shows_the_core(target: Target) -> bool:
    return target.protocol == "rest" and target.target_class == STANDARD


# Writing belongs to the core that the targets of a language share, so the second mode is shown by its standard REST
# target; for the others it is for exhaustive runs.
USUAL_CASES = {
    (target.name, mode)
    for target in _EVENTS
    for mode in WRITE_MODES
    if mode == WRITE_MODES[0] or _shows_the_core(target)
}


def _write_mode_cases() -> Iterator[ParameterSet]:
    """Every target in every write mode, as two values."""
    for target in _EVENTS:
        for mode in WRITE_MODES:
            marks = [] if (target.name, mode) in USUAL_CASES else [pytest.mark.exhaustive]
            yield pytest.param(target.name, mode, marks=marks)


def _core_cases() -> Iterator[ParameterSet]:
    """For what the core of a language does alone: its standard REST target; the others are for exhaustive runs."""
    for target in _EVENTS:
        for mode in WRITE_MODES:
            marks = [] if _shows_the_core(target) else [pytest.mark.exhaustive]
            yield pytest.param(target.name, mode, marks=marks)


def _as_one_value(case: ParameterSet) -> ParameterSet:
    return pytest.param(case.values, marks=case.marks, id="-".join(map(str, case.values)))


def as_exhaustive(case: ParameterSet) -> ParameterSet:
    """The case, for exhaustive runs alone; it keeps its place in its list."""
    return pytest.param(*case.values, marks=[*case.marks, pytest.mark.exhaustive], id=case.id)


WRITE_MODE_CASES = list(_write_mode_cases())
CORE_CASES = list(_core_cases())
# The same cases, for fixtures that several tests share: pytest knows a shared one by its place in one list.
TARGET_CASES = [_as_one_value(case) for case in WRITE_MODE_CASES]
# Of these, for what the core of a language does alone, whatever the transport.
CORE_TARGET_CASES = [_as_one_value(case) for case in CORE_CASES]


def target_named(project: Project, name: str) -> Target:
    """The target, built; skips the test where its toolchain is missing."""
    (target,) = [target for target in find_targets(project) if target.name == name]
    if target.missing:
        pytest.skip(f"{', '.join(target.missing)} not found")
    build_once(target.build)
    return target


def start(
    target: Target,
    project: Project,
    server: Server,
    port: int,
    log: Path,
    settings: Mapping[str, str],
    health: HealthCheck | None = None,
) -> TargetProcess:
    """A process of the target, to be entered. Settings are environment variables."""
    check = health or health_check(load_workload(project, target.workload), target.protocol, built_client())
    return TargetProcess(target, server, check, log, port=port, settings=settings)


@dataclass(frozen=True)
class Running:
    """A running target."""

    target: Target
    workload: Workload
    process: TargetProcess

    @property
    def port(self) -> int:
        return self.process.port

    @property
    def is_grpc(self) -> bool:
        return self.target.protocol == "grpc"

    def clients(self, at_once: int = 64) -> EventClients:
        """Clients that speak its protocol."""
        return EventClients(self.workload, self.target.protocol, self.port, at_once=at_once)


@contextlib.contextmanager
def running(project: Project, server: Server, folder: Path, name: str, **settings: str) -> Iterator[Running]:
    """A target on a fresh table, with these settings, while the block lasts."""
    target, workload = target_named(project, name), load_workload(project, "events")
    fresh_table(workload, server)
    with start(target, project, server, ports.free_port(), folder / f"{name}.log", settings) as process:
        yield Running(target, workload, process)
