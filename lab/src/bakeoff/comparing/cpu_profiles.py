"""CPU profiles of both sides of a target, in a short pass after the measurement: where the slower one spends more."""

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.comparing.preparation import choose
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.statement_counts import pairs_of
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.table import IN_PROCESSES
from bakeoff.postgres.databases import application_instance, one_choice
from bakeoff.processes.launching import Launcher, Program
from bakeoff.profiling.flame_graph import differential_flame_graph
from bakeoff.profiling.sampler import RUNTIME_VARIABLES, Sampler
from bakeoff.profiling.stacks import Growth, Stacks, grown
from bakeoff.project import Project
from bakeoff.results.run import Status
from bakeoff.running.alternation import Side
from bakeoff.running.contender import Contender
from bakeoff.running.measured_run import measure
from bakeoff.running.modes import Phase
from bakeoff.running.prepared_states import PreparedStates
from bakeoff.running.progress import Progress
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.targets.storage import POSTGRESQL

_WARM_S = 3.0
_SAMPLED_S = 8.0


@dataclass(frozen=True)
class CpuProfile:
    """The functions of a target that take more of its CPU than those of another contender, and the picture of all."""

    target: str
    against: str
    grown: Sequence[Growth]
    flame_graph: str

    @property
    def words(self) -> str:
        """The functions with their shares in a sentence; empty where none takes more."""
        listed = ", ".join(f"{each.function} {each.before:.0%} → {each.after:.0%}" for each in self.grown)
        return f"CPU of {self.target} against {self.against}, by function: {listed}." if listed else ""


def profile_both(
    project: Project, request: ComparisonRequest, pair: tuple[Contender, Contender], progress: Progress
) -> CpuProfile:
    """The profiles of two contenders under the heaviest load of the request, one after the other.

    Raises BakeoffError where a side cannot be sampled or fails.
    """
    users = max((phase.virtual_users for phase in request.phases), default=1)
    stores = [each for each in pair if each.storage == POSTGRESQL]
    progress.step("sampling the CPU of both sides")
    with tempfile.TemporaryDirectory() as folder, PreparedStates() as prepared:
        testbed = Testbed(project, None, progress, prepared=prepared)
        if not stores:
            before, after = (_sampled(testbed, request, each, users, Path(folder)) for each in pair)
        else:
            postgres = one_choice({each.key: each.target.manifest.storage.postgres for each in stores})
            instance = application_instance(project, postgres)
            if instance is None:
                raise BakeoffError("Servers that the lab did not start are not loaded for a profile.")
            with instance as server:
                testbed = replace(testbed, server=server, postgres=postgres)
                before, after = (_sampled(testbed, request, each, users, Path(folder)) for each in pair)
    title = f"{pair[1].key}, colours against {pair[0].key}"
    picture = differential_flame_graph(before, after, title)
    return CpuProfile(pair[1].target.name, pair[0].key, grown(before, after), picture)


def two_contenders(project: Project, request: ComparisonRequest) -> tuple[Contender, Contender]:
    """Both contenders of a request, in its order. Raises UsageError where it has another number of them."""
    found = choose(project, request, lambda _name, _reason: None)
    own = [each for each in found if each.variant.runs_in == IN_PROCESSES and each.target.name not in request.attached]
    if len(own) != 2:
        raise UsageError(
            f"--profile compares the CPU of two contenders that the lab starts as processes, and these are {len(own)}. "
            "Name two with --target."
        )
    return own[0], own[1]


def slower_pairs(
    project: Project, request: ComparisonRequest, targets: Sequence[str]
) -> list[tuple[Contender, Contender]]:
    """Both sides of each target, where the lab starts both as processes."""
    wanted = replace(request, targets=tuple(targets))
    return pairs_of(choose(project, wanted, lambda _name, _reason: None))


def _sampled(testbed: Testbed, request: ComparisonRequest, contender: Contender, users: int, folder: Path) -> Stacks:
    with tempfile.TemporaryDirectory(dir=folder) as own:
        sampler, launcher = Sampler(Path(own)), _Sampled()
        side = _SampledSide(sampler, launcher)
        phases = (Phase("First", users, _WARM_S), Phase("Sampled", users, _SAMPLED_S))
        run = RunRequest(contender, request.mode, phases, options=request)
        try:
            result = measure(replace(testbed.of(contender), launcher=launcher), run, side)
        finally:
            sampler.close()
    if side.failure is not None:
        raise side.failure
    if result.status is not Status.COMPLETED or side.stacks is None:
        raise BakeoffError(result.failure or f"The profiled run of {contender.key} is {result.status}.")
    return side.stacks


class _Sampled(Launcher):
    """Processes of this machine; the target's are told to leave names and frames for a profiler."""

    def __init__(self) -> None:
        self.target: subprocess.Popen[bytes] | None = None

    def start(self, program: Program) -> "subprocess.Popen[bytes]":
        if program.role != "target":
            return super().start(program)
        own = {name: _joined(program, name, value) for name, value in RUNTIME_VARIABLES.items()}
        self.target = super().start(replace(program, environment={**program.environment, **own}))
        return self.target


def _joined(program: Program, name: str, value: str) -> str:
    known = program.environment.get(name) or (program.inherited or {}).get(name)
    return f"{known} {value}" if known else value


class _SampledSide(Side):
    """A run by itself whose last step is sampled."""

    def __init__(self, sampler: Sampler, launcher: _Sampled) -> None:
        super().__init__()
        self._sampler, self._launcher = sampler, launcher
        self._steps = 0
        self.stacks: Stacks | None = None
        self.failure: BakeoffError | None = None

    def await_step(self) -> None:
        self._steps += 1
        # The second step is the one after its caches are filled.
        if self._steps == 2 and self._launcher.target is not None:
            try:
                self._sampler.start(self._launcher.target.pid)
            except BakeoffError as error:
                self.failure = error

    def await_end(self) -> None:
        if self.failure is None:
            try:
                self.stacks = self._sampler.stop()
            except BakeoffError as error:
                self.failure = error
