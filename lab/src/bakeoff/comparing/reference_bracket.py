"""Reference lines of PostgreSQL alone, drawn before and after the comparison that they stand beside."""

from collections.abc import Callable, Sequence

from bakeoff.calibration.machine_calibration import DrawnLine, bench_of, best_connections, draw, has_reference_lines
from bakeoff.calibration.pgbench_lines import ReferenceBench
from bakeoff.errors import BakeoffError
from bakeoff.running.testbed import Testbed
from bakeoff.storage.calibrations import Calibration
from bakeoff.workload.loader import Workload

# Lines take about half a minute: a comparison that takes ten times as long has them by default.
WORTH_IT_S = 300.0
_TRIAL_S = 1.0
_DRAW_S = 2.0
_DRAWS = 3


class ReferenceBracket:
    """Draws each line with the best number of connections, before and after, and keeps every draw."""

    def __init__(self, testbed: Testbed, workloads: Sequence[Workload], keep: Callable[[Calibration], None]) -> None:
        self._testbed = testbed
        self._workloads = [workload for workload in workloads if has_reference_lines(workload)]
        self._keep = keep
        self._lines: list[tuple[ReferenceBench, DrawnLine, int]] = []

    def before(self) -> list[Calibration]:
        """The lines, each by the best of its draws so far."""
        server, progress = self._testbed.server, self._testbed.progress
        if server is None:
            return []
        for workload in self._workloads:
            try:
                tools = bench_of(self._testbed.project, workload, server)
                for line in DrawnLine:
                    count = best_connections(tools, line, _TRIAL_S, progress)
                    self._lines.append((tools, line, count))
            except BakeoffError as error:
                # Without lines figures are figures still.
                progress.say(f"{workload.name}: no reference lines. {error.message}")
        return self._draw()

    def after(self) -> None:
        """The same lines again."""
        self._draw()

    def _draw(self) -> list[Calibration]:
        drawn: list[Calibration] = []
        progress = self._testbed.progress
        for tools, line, count in self._lines:
            try:
                for _ in range(_DRAWS):
                    drawn.append(draw(tools, line, count, _DRAW_S, progress))
                    self._keep(drawn[-1])
            except BakeoffError as error:
                progress.say(f"{tools.workload.name}: no reference lines. {error.message}")
        return drawn
