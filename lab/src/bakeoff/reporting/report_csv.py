"""Every figure of a report as rows of one table, for CSV."""

import csv
import io
from collections.abc import Iterable, Iterator

from bakeoff.judging.judgement import (
    Coefficient,
    EqualLoad,
    Estimate,
    JudgedContender,
    JudgedRun,
    Level,
    OperationLevel,
    ScaleCurve,
)
from bakeoff.reporting.chart import Chart
from bakeoff.reporting.equal_loads import pairs_of
from bakeoff.reporting.factor_effects import known_first, title_of, words_of
from bakeoff.reporting.numbers import rounded
from bakeoff.reporting.observed_columns import DATABASE_OF_A_RUN, MACHINE
from bakeoff.reporting.report import Report
from bakeoff.reporting.scale_curves import peak_of

COLUMNS = ("part", "of", "payload", "load", "figure", "unit", "at", "value", "low", "high")

Place = tuple[str, str, str, str]
"""The first columns: part, of, payload and load."""
Figure = tuple[str, str, Estimate | Coefficient | float | None]
"""Its name, its unit, and the value where it is known."""
Row = tuple[str, str, str, str, str, str, float | None, float | None, float | None, float | None]

_COSTS = {
    "cpu_us_each": "µs/operation",
    "cpu_percent_mean": "% of a core",
    "cpu_percent_peak": "% of a core",
    "memory_mean_mb": "MB",
    "memory_peak_mb": "MB",
    "pss_peak_mb": "MB",
    "memory_mean_percent": "% of the limit or machine",
    "memory_peak_percent": "% of the limit or machine",
}
_UNITS = {"rate": "/s", "ms": "ms", "us": "µs", "mb": "MB", "percent": "%", "ratio": "times", "seconds": "s"}
_ALREADY = frozenset(
    {"ranking", "throughput", "effects", "payloads", "cost-cpu", "cost-memory", "resources", "scale", "scale-cost"}
)
"""Charts whose figures stand in other rows."""


def csv_report(report: Report) -> str:
    """A header and a row for each figure. `at` is the place along a curve or a timeline.

    Text that a spreadsheet would take for a formula is preceded by an apostrophe.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in figure_rows(report):
        writer.writerow(map(_cell, row))
    return text.getvalue()


def figure_rows(report: Report) -> Iterator[Row]:
    """All figures that are known, in the report's order."""
    for place, figures in _places(report):
        for name, unit, found in figures:
            if isinstance(found, Estimate):
                yield (*place, name, unit, None, found.median, found.low, found.high)
            elif isinstance(found, Coefficient):
                yield (*place, name, unit, None, found.value, found.low, found.high)
            elif found is not None:
                yield (*place, name, unit, None, found, None, None)
    for chart in report.charts:
        if chart.slot not in _ALREADY:
            yield from _curve(chart)


def _places(report: Report) -> Iterator[tuple[Place, Iterable[Figure]]]:
    judgement = report.judgement
    for contender in judgement.contenders:
        yield from _contender(contender)
    labels = {contender.key: contender.label for contender in judgement.contenders}
    for pair in judgement.pairings:
        yield ("pair", labels[pair.one], "", ""), [(f"against {labels[pair.other]}", "times", pair.ratio)]
    for effect in known_first(judgement.operation_effects):
        one, other = words_of(effect.factor, effect.one), words_of(effect.factor, effect.other)
        figure = (f"{effect.operation}: speed against {other}", "times", effect.ratio)
        yield ("operation choice", one, "", effect.load), [figure]
    for effect in known_first(judgement.effects):
        one, other = words_of(effect.factor, effect.one), words_of(effect.factor, effect.other)
        yield ("choice", one, "", ""), [(f"against {other}", "times", effect.ratio)]
        for pair in effect.pairs if len(effect.pairs) > 1 else ():
            against = f"{title_of(effect.factor)}: against {labels[pair.other]}"
            yield ("matched pair", labels[pair.one], "", ""), [(against, "times", pair.ratio)]
    for load in judgement.equal_loads:
        yield from _equal_load(load)
    for curve in judgement.scale_curves:
        yield from _scale(curve)
    for line in judgement.reference_lines:
        yield ("reference", line.label, line.payload or "", ""), [("throughput", "/s", line.per_s)]


def _contender(contender: JudgedContender) -> Iterator[tuple[Place, Iterable[Figure]]]:
    who = (contender.label, contender.payload)
    yield (
        ("contender", *who, ""),
        [
            (f"class {contender.target_class}", "", 1),
            ("rank", "", contender.rank),
            ("optimal users", "", contender.optimal_users),
            ("breaking users", "", contender.breaking_users),
            ("share of generator capacity", "", contender.ceiling_share),
            *((f"times {name}", "", share) for name, share in contender.reference_shares.items()),
            ("maximum throughput", "/s", contender.peak_throughput_per_s),
            ("sustainable throughput", "/s", contender.sustainable_throughput_per_s),
            ("start to healthy", "s", contender.start_to_healthy_s),
        ],
    )
    for level in [*contender.levels, *([contender.total] if contender.total is not None else [])]:
        yield ("level", *who, level.load), _level(level)
        for name, operation in level.operations.items():
            yield ("operation", *who, level.load), _operation(name, operation)
        yield ("level", *who, level.load), _resources(level)
    for run in contender.runs:
        yield ("run", *who, f"run {run.id}"), _observed(run)


def _requests(level: Level | OperationLevel, of: str = "") -> Iterator[Figure]:
    yield (f"{of}throughput", "/s", level.throughput_per_s)
    yield (f"{of}error rate", "share", level.error_rate)
    yield from ((f"{of}latency {name}", "ms", latency) for name, latency in level.latency_ms.items())


def _level(level: Level) -> Iterator[Figure]:
    yield from _requests(level)
    yield ("data sent", "bytes/s", level.sent_bytes_per_s)
    yield ("data received", "bytes/s", level.received_bytes_per_s)
    yield from _statuses(level)


def _statuses(level: Level | OperationLevel, of: str = "") -> Iterator[Figure]:
    return ((f"{of}status {status}", "", count) for status, count in level.statuses.items())


def _resources(level: Level) -> Iterator[Figure]:
    yield ("requests", "", level.requests)
    yield ("failed", "", level.failed)
    yield ("unsent", "", level.unsent)
    yield ("duration of all rounds", "s", level.duration_s)
    yield ("CPU per request", "% s", level.cpu_percent_s_each)
    yield ("memory per request", "MB s", level.memory_mb_s_each)
    yield from ((f"errors {kind}", "", count) for kind, count in level.errors.items())
    for role, cost in (*level.costs.items(), *level.processes.items()):
        yield from ((f"{role} {name}", unit, getattr(cost, name)) for name, unit in _COSTS.items())
    for name, gauge in level.gauges.items():
        yield (f"{name} mean", gauge.unit, gauge.mean)
        yield (f"{name} maximum", gauge.unit, gauge.maximum)


def _operation(operation: str, level: OperationLevel) -> Iterator[Figure]:
    of = f"{operation}: "
    yield from _requests(level, of)
    yield (f"{of}requests", "", level.requests)
    yield (f"{of}failed", "", level.failed)
    yield (f"{of}checked replies", "", level.checked)
    yield (f"{of}wrong checked replies", "", level.checks_failed)
    yield from ((f"{of}error {kind}", "", count) for kind, count in level.errors.items())
    yield from _statuses(level, of)


def _observed(run: JudgedRun) -> Iterator[Figure]:
    columns = (("PostgreSQL", run.database, DATABASE_OF_A_RUN[:-1]), ("machine", run.machine, MACHINE))
    for part, figures, own in columns:
        yield from ((f"{part} {each.name}", each.unit, getattr(figures, each.name, None)) for each in own)
    for event, share in {} if run.database is None else run.database.waits.items():
        yield (f"PostgreSQL sessions at {event}", "share", share)


def _curve(chart: Chart) -> Iterator[Row]:
    unit = _UNITS.get(chart.y.format, "")
    for series in chart.series:
        place = ("curve", series.name, chart.group or "", chart.variant or "")
        for point in series.points:
            if point[1] is None:
                continue
            yield (*place, chart.title, unit, point[0], point[1], None, None)


def _equal_load(load: EqualLoad) -> Iterator[tuple[Place, Iterable[Figure]]]:
    at, names = f"{load.rate_per_s:,.10g}/s", {entry.key: entry.label for entry in load.entries}
    for entry in load.entries:
        yield (
            ("equal load", entry.label, load.division, at),
            [
                ("throughput", "/s", entry.throughput_per_s),
                *((name, "ms", latency) for name, latency in entry.latency_ms.items()),
                ("cpu_us_each", "µs/operation", entry.cpu_us_each),
                ("holds", "", float(entry.holds)),
                *((f"rank by {name}", "", rank) for name, rank in entry.ranks.items()),
            ],
        )
    for figure, pair in pairs_of(load):
        against = (f"{figure} against {names[pair.other]}", "times", pair.ratio)
        yield ("equal load pair", names[pair.one], load.division, at), [against]


def _scale(curve: ScaleCurve) -> Iterator[tuple[Place, Iterable[Figure]]]:
    title, fit = title_of(curve.factor), curve.fit
    for step in curve.steps:
        yield (
            ("scale", curve.label, "", f"{title} {step.count:,}"),
            [
                ("throughput", "/s", step.throughput_per_s),
                ("fitted throughput", "/s", None if fit is None else fit.throughput_at(step.count)),
                ("efficiency", "share", rounded(curve.efficiency(step), 4)),
                *((f"{role} cpu_us_each", "µs/operation", cost) for role, cost in step.cpu_us_each.items()),
            ],
        )
    if fit is not None:
        yield (
            ("scale", curve.label, "", title),
            [
                ("rate of one", "/s", fit.rate_per_s),
                ("contention", "", fit.contention),
                ("coherency", "", fit.coherency),
                ("peak", "", peak_of(fit)),
                ("misfit p", "", fit.misfit_p),
            ],
        )


def _cell(value: str | float | None) -> str:
    if isinstance(value, str):
        return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
    return "" if value is None else f"{value if isinstance(value, int) else rounded(value):.10g}"
