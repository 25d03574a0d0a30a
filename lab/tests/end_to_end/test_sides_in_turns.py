"""Two sides of a comparison, measured in turns with a real target and the real engine."""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.measurer import measured_side_by_side
from bakeoff.engines.manifest import find_engine
from bakeoff.postgres.binaries import find_installation
from bakeoff.postgres.embedded import APPLICATION, Instance
from bakeoff.project import Project
from bakeoff.results.run import Durability, RunResult, Status
from bakeoff.running.contender import Contender, can_alternate
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import Settling
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import find_targets
from bakeoff.targets.storage import POSTGRESQL
from bakeoff.workload.loader import load_workload
from build_once import build_once

pytestmark = pytest.mark.end_to_end

SLICES = 4


def both_sides(project: Project, *, durable: bool) -> list[Contender]:
    engine = find_engine("native")
    for target in find_targets(project):
        contender = Contender(target, load_workload(project, target.workload), engine)
        fits = can_alternate(contender, has_own_server=True) and (contender.storage == POSTGRESQL) == durable
        if target.missing or not fits:
            continue
        for build in (target.build, engine.build):
            build_once(build)
        return [
            Contender(target, contender.workload, engine, factors={"commit": side}) for side in ("before", "candidate")
        ]
    pytest.skip(f"no target {'with' if durable else 'without'} PostgreSQL can be built here")


@pytest.fixture(scope="module", params=["without PostgreSQL", "with one for each side"])
def durable(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "with one for each side")


@pytest.fixture(scope="module")
def measured(
    project: Project, instances: Project, durable: bool, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[RunResult]]:
    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as stack:
        patch.setenv("BAKEOFF_RESULTS", str(tmp_path_factory.mktemp("results")))
        testbed = Testbed(project, None, PlainProgress(Console(quiet=True)))
        contenders = both_sides(project, durable=durable)
        if durable:
            own, opposite = (
                Instance(find_installation(instances), kind, instances.logs)
                for kind in (APPLICATION, APPLICATION.opposite(1))
            )
            stack.enter_context(opposite)
            sides = {each.key: number for number, each in enumerate(contenders)}
            server = stack.enter_context(own)
            testbed = replace(testbed, server=server, database=own, opposites=[opposite], sides=sides)
        levels = [Phase("8 users", 8, float(SLICES))]
        requests = [
            RunRequest(contender, "quick", levels, settling=Settling(1.0), in_slices=True, crashes=durable)
            for contender in contenders
        ]
        yield measured_side_by_side([(testbed.of(request.contender), request) for request in requests])


def slices_of(run: RunResult) -> list[tuple[int, int]]:
    """From when to when each slice was measured, in ns; what settled, and a crash, is left out."""
    assert run.stream_file is not None
    records = [json.loads(line) for line in Path(run.stream_file).read_text("utf-8").splitlines()]
    begun = {each["phase"]: each["time_unix_ns"] for each in records if each["type"] == "phase_start"}
    lasted = {each["phase"]: each["duration_ns"] for each in records if each["type"] == "phase_end"}
    return [(begun[phase], begun[phase] + lasted[phase]) for phase in sorted(begun)[1 : 1 + SLICES]]


def test_each_side_has_its_whole_window(measured: list[RunResult]) -> None:
    for run in measured:
        assert (run.status, run.failure) == (Status.COMPLETED, None)
        (phase,) = run.phases
        assert phase.measured.window_s == SLICES
        assert phase.measured.operations > 0 and phase.measured.failed == 0
        assert len(run.timeline) == SLICES
        assert sum(second.operations for second in run.timeline) >= phase.measured.operations * 0.9
        assert (phase.end_ns - phase.begin_ns) / 1e9 == pytest.approx(phase.measured.duration_s)
        assert phase.measured.costs["target"].cpu_s


def test_while_one_side_works_the_other_waits(measured: list[RunResult]) -> None:
    named = [(span, name) for name, run in zip("ab", measured, strict=True) for span in slices_of(run)]
    named.sort()
    assert "".join(name for _, name in named) == "abba" * (SLICES // 2)
    assert all(end_ns <= begin_ns for ((_, end_ns), _), ((begin_ns, _), _) in pairwise(named))


def test_each_side_is_crashed_with_its_database(measured: list[RunResult], durable: bool) -> None:
    assert [run.durability is Durability.PROVEN for run in measured] == [durable, durable]


def test_each_side_has_a_database_to_itself(measured: list[RunResult], durable: bool) -> None:
    if not durable:
        assert [run.database_activity for run in measured] == [None, None]
        return
    for run in measured:
        (phase,) = run.phases
        activity = run.database_activity
        assert activity is not None and activity.phases is not None
        assert run.audit is not None and run.audit.clean
        # A shared server would count the commits of both.
        commits = activity.phases["1"].commits
        assert commits is not None and 0 < commits <= 1.5 * phase.measured.operations
