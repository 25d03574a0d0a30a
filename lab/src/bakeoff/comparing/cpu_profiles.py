"""CPU profiles of both sides of a target, in a short pass after the measurement: where the slower one spends more."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bakeoff.comparing.preparation import choose
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.short_pass import short_pass
from bakeoff.comparing.statement_counts import pairs_of
from bakeoff.containers.container import find_container
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.postgres.embedded import APPLICATION
from bakeoff.processes.launching import Launcher, Program
from bakeoff.profiling.allocations import Allocations, UncountedError, variables_for
from bakeoff.profiling.flame_graph import differential_flame_graph
from bakeoff.profiling.sampler import RUNTIME_VARIABLES, NoProfilerError, Sampler
from bakeoff.profiling.stacks import Growth, Stacks, grown
from bakeoff.project import Project
from bakeoff.results.run import Status
from bakeoff.running.alternation import Side
from bakeoff.running.contender import Contender
from bakeoff.running.measured_run import measure
from bakeoff.running.modes import Phase
from bakeoff.running.progress import Progress
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.sampling.cgroup import group_of
from bakeoff.targets.storage import POSTGRESQL

_WARM_S = 3.0
_SAMPLED_S = 8.0


@dataclass(frozen=True)
class CpuProfile:
    """The functions of a target that take more of its CPU than those of another contender, and the picture of all.

    Without a picture `unsampled` says why there is none. `allocated` is known for runtimes that count it.
    """

    target: str
    against: str
    grown: Sequence[Growth] = ()
    flame_graph: str = ""
    unsampled: str = ""
    allocated: "Allocated" = field(default_factory=lambda: Allocated())

    @property
    def words(self) -> str:
        """The functions with their shares in a sentence; empty where none takes more."""
        listed = ", ".join(f"{each.function} {each.before:.0%} → {each.after:.0%}" for each in self.grown)
        return f"CPU of {self.target} against {self.against}, by function: {listed}." if listed else ""

    @property
    def words_about_allocations(self) -> str:
        """What each side allocates in a sentence; empty where no runtime counts it."""
        before, after = self.allocated.before, self.allocated.after
        if before is None or after is None:
            return ""
        return f"Allocations of {self.target} per request: {_kilobytes(before)} → {_kilobytes(after)}."


@dataclass(frozen=True)
class Allocated:
    """Bytes that a request allocates on both sides, or why they are not known; neither where no runtime counts."""

    before: float | None = None
    after: float | None = None
    unknown: str = ""


def _kilobytes(size: float) -> str:
    return f"{size / 1000:.1f} kB" if size < 100_000 else f"{size / 1000:,.0f} kB"


def profile_both(
    project: Project, request: ComparisonRequest, pair: tuple[Contender, Contender], progress: Progress
) -> CpuProfile:
    """The profiles of two contenders under the heaviest load of the request, one after the other.

    Raises BakeoffError where a side fails, or can neither be sampled nor asked what it allocates.
    """
    users = max((phase.virtual_users for phase in request.phases), default=1)
    progress.step("sampling the CPU of both sides")
    if os.environ.get("DATABASE_URL") and any(each.storage == POSTGRESQL for each in pair):
        raise BakeoffError("Servers that the lab did not start are not loaded for a profile.")
    with (
        tempfile.TemporaryDirectory() as folder,
        short_pass(project, request, pair, APPLICATION, progress) as testbed,
    ):
        before, after = (_sampled(testbed, request, each, users, Path(folder)) for each in pair)
    profile = CpuProfile(
        pair[1].target.name,
        pair[0].key,
        allocated=Allocated(before.allocated, after.allocated, before.uncounted or after.uncounted),
    )
    if before.stacks is None or after.stacks is None:
        unsampled = before.unsampled or after.unsampled
        if not profile.words_about_allocations:
            raise BakeoffError(unsampled)
        return replace(profile, unsampled=unsampled)
    title = f"{pair[1].key}, colours against {pair[0].key}"
    picture = differential_flame_graph(before.stacks, after.stacks, title)
    return replace(profile, grown=grown(before.stacks, after.stacks), flame_graph=picture)


def two_contenders(project: Project, request: ComparisonRequest) -> tuple[Contender, Contender]:
    """Both contenders of a request, in its order. Raises UsageError where it has another number of them."""
    found = choose(project, request, lambda _name, _reason: None)
    own = [each for each in found if each.target.name not in request.attached]
    if len(own) != 2:
        raise UsageError(
            f"--profile compares the CPU of two contenders that the lab starts, and these are {len(own)}. Name two "
            "with --target."
        )
    return own[0], own[1]


def slower_pairs(
    project: Project, request: ComparisonRequest, targets: Sequence[str]
) -> list[tuple[Contender, Contender]]:
    """Both sides of each target."""
    wanted = replace(request, targets=tuple(targets))
    return pairs_of(choose(project, wanted, lambda _name, _reason: None))


@dataclass(frozen=True)
class _Profile:
    """The stacks of a side and the bytes that one request allocates, or why they are unknown."""

    stacks: Stacks | None
    unsampled: str
    allocated: float | None
    uncounted: str


def _sampled(testbed: Testbed, request: ComparisonRequest, contender: Contender, users: int, folder: Path) -> _Profile:
    there = testbed.of(contender)
    with tempfile.TemporaryDirectory(dir=folder) as own:
        # The target runs as this user; without a link in it the path that it sees is the one given.
        place = Path(own).resolve()
        sampler, launcher = Sampler(place), _Sampled(there, place)
        side = _SampledSide(sampler, launcher, Allocations(place))
        phases = (Phase("First", users, _WARM_S), Phase("Sampled", users, _SAMPLED_S))
        run = RunRequest(contender, request.mode, phases, options=request)
        try:
            result = measure(replace(there, launcher=launcher), run, side)
        finally:
            sampler.close()
    if result.status is not Status.COMPLETED:
        raise BakeoffError(result.failure or f"The profiled run of {contender.key} is {result.status}.")
    requests = result.phases[-1].measured.operations
    allocated = side.allocated_bytes / requests if side.allocated_bytes is not None and requests else None
    return _Profile(side.stacks, side.unsampled, allocated, side.uncounted)


class _Sampled(Launcher):
    """Starts programs as a testbed does; the target's are told to leave names and frames for a profiler."""

    def __init__(self, testbed: Testbed, folder: Path) -> None:
        self._folder = folder
        self._inner, self._docker = testbed.launcher, testbed.docker
        self.bind, self.in_containers = self._inner.bind, self._inner.in_containers
        self._target: subprocess.Popen[bytes] | None = None
        self.ports: Sequence[int] = ()

    def start(self, program: Program) -> "subprocess.Popen[bytes]":
        if program.role != "target":
            return self._inner.start(program)
        given = program.passed_on if self.in_containers else program.inherited or {}
        known = {**given, **program.environment}
        # Files of this machine are not in an image.
        added = [RUNTIME_VARIABLES] if self.in_containers else [RUNTIME_VARIABLES, variables_for(self._folder)]
        for each in added:
            known |= {name: _joined(known, name, more) for name, more in each.items()}
        own = {name: known[name] for each in added for name in each}
        self._target = self._inner.start(replace(program, environment={**program.environment, **own}))
        self.ports = () if program.port is None else (program.port,)
        return self._target

    def end(self, process: "subprocess.Popen[bytes]", how: signal.Signals, timeout_s: float) -> int:
        return self._inner.end(process, how, timeout_s)

    def address(self, host: str, port: int) -> tuple[str, int]:
        return self._inner.address(host, port)

    def container_of(self, process: "subprocess.Popen[bytes]") -> str | None:
        return self._inner.container_of(process)

    def target_pid(self) -> int:
        """The target's first process. Raises NoProfilerError where this machine does not see it."""
        assert self._target is not None
        name = self.container_of(self._target)
        if name is None or self._docker is None:
            return self._target.pid
        container = find_container(self._docker, name)
        if group_of(container.pid, container.id) is None:
            raise NoProfilerError("The processes of containers are out of sight: their engine is in another machine.")
        return container.pid


def _joined(given: Mapping[str, str], name: str, more: str) -> str:
    known = given.get(name)
    return f"{known} {more}" if known else more


class _SampledSide(Side):
    """A run by itself whose last step is sampled."""

    def __init__(self, sampler: Sampler, launcher: _Sampled, allocations: Allocations) -> None:
        super().__init__()
        self._sampler, self._launcher, self._allocations = sampler, launcher, allocations
        self._steps = 0
        self.stacks: Stacks | None = None
        self.unsampled = ""
        self.allocated_bytes: int | None = None
        self.uncounted = ""

    def await_step(self) -> None:
        self._steps += 1
        # The second step is the one after its caches are filled.
        if self._steps == 2:
            try:
                pid = self._launcher.target_pid()
                self._count(pid)
                self._sampler.start(pid)
            except BakeoffError as error:
                self.unsampled = error.message

    def _count(self, pid: int) -> None:
        launcher = self._launcher
        try:
            self._allocations.start(pid, launcher.ports, in_container=launcher.in_containers)
        except UncountedError as error:
            self.uncounted = error.message

    def await_end(self) -> None:
        if not self.unsampled:
            try:
                self.stacks = self._sampler.stop()
            except BakeoffError as error:
                self.unsampled = error.message
        if not self.uncounted:
            try:
                self.allocated_bytes = self._allocations.stop()
            except UncountedError as error:
                self.uncounted = error.message
