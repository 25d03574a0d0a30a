"""What an operation costs: CPU of target, database and engine stacked, and their memory."""

from collections.abc import Callable, Iterator, Sequence

from bakeoff.reporting.chart_shape import Axis, Chart, Row, Stack
from bakeoff.reporting.charts.making import bars
from bakeoff.reporting.shape import CostFigures, LevelFigures, ReportedContender
from bakeoff.results.run import ROLES

ROLE_NAMES = {"target": "target", "database": "database", "engine": "generator"}

_CPU: Axis = {"label": "CPU µs per operation", "scale": "linear", "format": "us", "ticks": None}
_MEMORY: Axis = {"label": "peak memory, MB", "scale": "linear", "format": "mb", "ticks": None}


def parts_of(level: LevelFigures) -> Iterator[tuple[str, CostFigures]]:
    """The cost of each role; below that of the target those of its processes, where there are several."""
    for role, used in level["costs"].items():
        yield ROLE_NAMES[role], used
        if role == "target":
            yield from level["processes"].items()


def cost_charts(group: str, contenders: Sequence[ReportedContender]) -> list[Chart]:
    """CPU and memory of all phases together; none where nothing was sampled."""
    shown = [each for each in contenders if each["total"] is not None and each["total"]["costs"]]
    charts = [
        bars(
            "cost-cpu",
            "CPU per operation",
            _CPU,
            _rows(shown),
            _stacks(shown, _cpu_us),
            group=group,
            note="Kernel counters, divided by acknowledged operations; all phases together.",
        ),
        bars(
            "cost-memory",
            "Peak memory",
            _MEMORY,
            _rows(shown),
            _stacks(shown, lambda cost: cost["memory_peak_mb"]["median"]),
            group=group,
            note="Resident memory, shared pages counted once; all phases together.",
        ),
    ]
    return [chart for chart in charts if any(value for stack in chart["stacks"] for value in stack["values"])]


def _rows(contenders: Sequence[ReportedContender]) -> list[Row]:
    return [{"name": each["name"], "identity": each["identity"], "style": each["style"]} for each in contenders]


def _stacks(contenders: Sequence[ReportedContender], pick: Callable[[CostFigures], float | None]) -> list[Stack]:
    return [
        {
            "name": ROLE_NAMES[role],
            "style": style,
            "values": [_value(each["total"], role, pick) for each in contenders],
        }
        for style, role in enumerate(ROLES)
    ]


def _value(total: LevelFigures | None, role: str, pick: Callable[[CostFigures], float | None]) -> float | None:
    cost = None if total is None else total["costs"].get(role)
    return None if cost is None else pick(cost)


def _cpu_us(cost: CostFigures) -> float | None:
    return None if cost["cpu_us_each"] is None else cost["cpu_us_each"]["median"]
