"""Reference lines of PostgreSQL alone, drawn before and after the comparison that they stand beside."""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from bakeoff.calibration.machine_calibration import DrawnLine, bench_of, best_connections, draw, has_reference_lines
from bakeoff.calibration.pgbench_lines import ReferenceBench
from bakeoff.comparing.measurer import Measurer
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.schedule import Turn
from bakeoff.errors import BakeoffError
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

Line = tuple[ReferenceBench, DrawnLine, int]


@contextlib.contextmanager
def reference_lines(
    measurer: Measurer, request: ComparisonRequest, turns: Sequence[Turn], planned_s: float
) -> Iterator[None]:
    """Draws the lines around the block, where turns store in PostgreSQL and take long enough.

    The lines before it are ceilings of its runs; an interrupted block is followed by none.
    """
    wanted = request.reference_lines
    is_worth_it = wanted == "on" or (wanted == "auto" and planned_s >= _WORTH_IT_S)
    stored = [turn.contender.workload for turn in turns if turn.contender.storage == POSTGRESQL] if is_worth_it else []
    workloads = {workload.name: workload for workload in stored if has_reference_lines(workload)}
    lines = lines_of(measurer.testbed, list(workloads.values()))

    def keep(drawn: Calibration) -> None:
        add_calibration(measurer.recorder.store.server, drawn, measurer.recorder.id)

    for drawn in draw_all(lines, measurer.testbed.progress, keep):
        measurer.calibrations[drawn.workload].append(drawn)
    yield
    draw_all(lines, measurer.testbed.progress, keep)


def lines_of(testbed: Testbed, workloads: Sequence[Workload]) -> list[Line]:
    """Each line with its best number of connections."""
    lines: list[Line] = []
    for workload in workloads if testbed.server is not None else ():
        assert testbed.server is not None
        try:
            tools = bench_of(testbed.project, workload, testbed.server)
            for line in DrawnLine:
                lines.append((tools, line, best_connections(tools, line, _TRIAL_S, testbed.progress)))
        except BakeoffError as error:
            # Without lines figures are figures still.
            testbed.progress.say(f"{workload.name}: no reference lines. {error.message}")
    return lines


def draw_all(lines: Sequence[Line], progress: Progress, keep: Callable[[Calibration], None]) -> list[Calibration]:
    drawn: list[Calibration] = []
    for tools, line, connections in lines:
        try:
            for _ in range(_DRAWS):
                drawn.append(draw(tools, line, connections, _DRAW_S, progress))
                keep(drawn[-1])
        except BakeoffError as error:
            progress.say(f"{tools.workload.name}: no reference lines. {error.message}")
    return drawn
