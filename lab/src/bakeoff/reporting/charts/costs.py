"""The cost of an operation: CPU of target, database and engine stacked, and their memory."""

from collections.abc import Callable, Iterator, Sequence

from bakeoff.judging.judgement import CostEstimate, JudgedContender, Level
from bakeoff.reporting.chart import Axis, Chart, Row, Stack, identity
from bakeoff.reporting.numbers import rounded
from bakeoff.results.run import ROLES

ROLE_NAMES = {"target": "target", "database": "database", "engine": "generator"}


def parts_of(level: Level) -> Iterator[tuple[str, CostEstimate]]:
    """The cost of each role; below that of the target those of its processes, where there are several."""
    for role, used in level.costs.items():
        yield ROLE_NAMES[role], used
        if role == "target":
            yield from level.processes.items()


def cost_charts(group: str, contenders: Sequence[JudgedContender]) -> list[Chart]:
    """CPU and memory of all phases together; none where nothing was sampled."""
    totals = {each.key: each.total for each in contenders if each.total is not None and each.total.costs}
    rows = [Row(each.name, identity(each), each.identity) for each in contenders if each.key in totals]

    def stacks(pick: Callable[[CostEstimate], float | None]) -> list[Stack]:
        return [
            Stack(ROLE_NAMES[role], style, [_value(each, role, pick) for each in totals.values()])
            for style, role in enumerate(ROLES)
        ]

    charts = [
        Chart(
            slot="cost-cpu",
            title="CPU per operation",
            kind="bars",
            x=Axis("CPU µs per operation", "linear", "us"),
            rows=rows,
            stacks=stacks(lambda cost: None if cost.cpu_us_each is None else cost.cpu_us_each.median),
            group=group,
            note="Kernel counters, divided by acknowledged operations; all phases together.",
        ),
        Chart(
            slot="cost-memory",
            title="Peak memory",
            kind="bars",
            x=Axis("peak memory, MB", "linear", "mb"),
            rows=rows,
            stacks=stacks(lambda cost: cost.memory_peak_mb.median),
            group=group,
            note="Resident memory, shared pages counted once; all phases together.",
        ),
    ]
    return [chart for chart in charts if any(value for stack in chart.stacks for value in stack.values)]


def _value(total: Level, role: str, pick: Callable[[CostEstimate], float | None]) -> float | None:
    value = pick(total.costs[role]) if role in total.costs else None
    return None if value is None else rounded(value)
