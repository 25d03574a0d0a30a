"""Reference lines of PostgreSQL alone, measured before and after the comparison that they stand beside."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from statistics import median

from bakeoff.calibration.machine_calibration import LINES, bench_of, best_connections, draw, has_reference_lines
from bakeoff.calibration.pgbench_lines import ReferenceBench
from bakeoff.comparing.measurer import Measurer
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.schedule import Turn
from bakeoff.errors import BakeoffError
from bakeoff.judging.ceilings import operations_per_commit
from bakeoff.results.reference_lines import line_name, line_that_commits_like
from bakeoff.results.run import RunResult
from bakeoff.running.progress import Progress
from bakeoff.running.testbed import Testbed
from bakeoff.storage.calibrations import Calibration, add_calibration
from bakeoff.targets.storage import POSTGRESQL
from bakeoff.workload.loader import Workload

# Lines take about half a minute: a comparison that takes ten times as long has them by default.
_WORTH_IT_S = 300.0
_TRIAL_S = 1.0
_DRAW_S = 2.0
_DRAWS = 3

Line = tuple[ReferenceBench, int, int]


@contextlib.contextmanager
def reference_lines(
    measurer: Measurer, request: ComparisonRequest, turns: Sequence[Turn], planned_s: float
) -> Iterator[None]:
    """Draws the lines around the block, where turns store in PostgreSQL and take long enough.

    The lines before it are ceilings of its runs; an interrupted block is followed by none. Lines that commit as many
    operations at once as the contenders did follow it, since nothing knows how many that will be.
    """
    wanted = request.reference_lines
    is_worth_it = wanted == "on" or (wanted == "auto" and planned_s >= _WORTH_IT_S)
    stored = [turn.contender.workload for turn in turns if turn.contender.storage == POSTGRESQL] if is_worth_it else []
    workloads = {workload.name: workload for workload in stored if has_reference_lines(workload)}
    lines = lines_of(measurer.testbed, [(each, LINES) for each in workloads.values()])

    def keep(drawn: Calibration) -> None:
        add_calibration(measurer.recorder.store.server, drawn, measurer.recorder.id)

    for drawn in draw_all(lines, measurer.testbed.progress, keep):
        measurer.calibrations[drawn.workload].append(drawn)
    yield
    runs = measurer.recorder.comparison.runs
    own = [(workload, commit_sizes(runs, name)) for name, workload in workloads.items()]
    draw_all([*lines, *lines_of(measurer.testbed, own)], measurer.testbed.progress, keep)


def commit_sizes(runs: Sequence[RunResult], workload: str) -> list[int]:
    """The operations per commit of a workload's contenders, each in its fastest phases, to two digits.

    Sizes that a line of LINES or of another contender stands for are left out.
    """
    found: dict[str, list[float]] = {}
    for run in (each for each in runs if each.workload == workload):
        fastest = run.best_phase
        size = None if fastest is None else operations_per_commit(run, fastest.number)
        if size is not None:
            found.setdefault(run.contender, []).append(size)
    sizes: list[int] = []
    for each in found.values():
        size = int(float(f"{max(1.0, median(each)):.2g}"))
        if line_that_commits_like([line_name(rows) for rows in (*LINES, *sizes)], size) is None:
            sizes.append(size)
    return sizes


def lines_of(testbed: Testbed, sizes: Sequence[tuple[Workload, Sequence[int]]]) -> list[Line]:
    """Each line with its best number of connections; `sizes` are rows in a transaction."""
    lines: list[Line] = []
    for workload, own in sizes if testbed.server is not None else ():
        assert testbed.server is not None
        try:
            tools = bench_of(testbed.project, workload, testbed.server)
            for rows in own:
                lines.append((tools, rows, best_connections(tools, rows, _TRIAL_S, testbed.progress)))
        except BakeoffError as error:
            # Without lines figures are figures still.
            testbed.progress.say(f"{workload.name}: no reference lines. {error.message}")
    return lines


def draw_all(lines: Sequence[Line], progress: Progress, keep: Callable[[Calibration], None]) -> list[Calibration]:
    drawn: list[Calibration] = []
    for tools, rows, connections in lines:
        try:
            for _ in range(_DRAWS):
                drawn.append(draw(tools, rows, connections, _DRAW_S, progress))
                keep(drawn[-1])
        except BakeoffError as error:
            progress.say(f"{tools.workload.name}: no reference lines. {error.message}")
    return drawn
