"""The cost of an operation: CPU of target, database and engine stacked, and the memory of the target."""

from collections.abc import Iterator, Sequence

from bakeoff.judging.judgement import CostEstimate, Estimate, JudgedContender, Level
from bakeoff.reporting.chart import Axis, BarRow, Chart, Stack, identity
from bakeoff.reporting.figures import RESIDENT
from bakeoff.reporting.numbers import rounded
from bakeoff.results.run import ROLES

ROLE_NAMES = {"target": "target", "database": "database", "engine": "generator"}
_CPU_NOTE = "Kernel counters, divided by acknowledged operations; all phases together."
_MEMORY_NOTE = f"The target, all phases together. {RESIDENT}"


def parts_of(level: Level) -> Iterator[tuple[str, CostEstimate]]:
    """The cost of each role; below that of the target those of its processes, where there are several."""
    for role, used in level.costs.items():
        yield ROLE_NAMES[role], used
        if role == "target":
            yield from level.processes.items()


def cost_charts(group: str, contenders: Sequence[JudgedContender]) -> list[Chart]:
    """CPU and memory of all phases together; none where nothing was sampled."""
    totals = {each.key: each.total for each in contenders if each.total is not None and each.total.costs}
    rows = [BarRow(each.name, identity(each), each.identity) for each in contenders if each.key in totals]

    # The buffers of a database are larger than any target, and would hide what differs.
    figures = (
        ("cpu", "CPU per operation", Axis("CPU µs per operation", "linear", "us"), _CPU_NOTE, "cpu_us_each", ROLES),
        ("memory", "Peak memory", Axis("peak memory, MB", "linear", "mb"), _MEMORY_NOTE, "memory_peak_mb", ROLES[:1]),
    )
    charts = [
        Chart(
            slot=f"cost-{slot}",
            title=title,
            kind="bars",
            x=axis,
            rows=rows,
            stacks=[
                Stack(ROLE_NAMES[role], style, [_value(each, role, figure) for each in totals.values()])
                for style, role in enumerate(roles)
            ],
            group=group,
            note=note,
        )
        for slot, title, axis, note, figure, roles in figures
    ]
    return [chart for chart in charts if any(value for stack in chart.stacks for value in stack.values)]


def _value(total: Level, role: str, figure: str) -> float | None:
    estimate: Estimate | None = getattr(total.costs.get(role), figure, None)
    return None if estimate is None else rounded(estimate.median)
