"""Every figure of a report as rows of one table, for CSV."""

import csv
import io
from collections.abc import Iterator

from bakeoff.reporting.chart_shape import Chart
from bakeoff.reporting.shape import (
    Figure,
    LevelFigures,
    OperationFigures,
    ReportData,
    ReportedContender,
    ReportedEqualLoad,
    ReportedScale,
    RunLine,
)

COLUMNS = ("part", "of", "payload", "load", "figure", "unit", "at", "value", "low", "high")

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
_DATABASE = {
    "wal_bytes_each": "bytes/operation",
    "commits_each": "/operation",
    "operations_per_commit": "",
    "rows_inserted": "",
    "rows_updated": "",
    "rows_deleted": "",
    "hot_update_share": "share",
    "checkpoints": "",
}
_MACHINE = {
    "speed_mb_s": "MB/s",
    "load_average_before": "",
    "steal_percent": "% of a core",
    "other_cpu_percent": "% of a core",
    "lab_cpu_percent": "% of a core",
    "sampling_cpu_percent": "% of a core",
    "cpu_pressure_percent": "% of the time",
    "io_pressure_percent": "% of the time",
    "memory_pressure_percent": "% of the time",
}
_UNITS = {"rate": "/s", "ms": "ms", "us": "µs", "mb": "MB", "percent": "%", "ratio": "times", "seconds": "s"}
_ALREADY = frozenset(
    {"ranking", "throughput", "effects", "payloads", "cost-cpu", "cost-memory", "resources", "scale", "scale-cost"}
)
"""Charts whose figures stand in other rows."""


def csv_report(data: ReportData) -> str:
    """A header and a row for each figure. `at` is the place along a curve or a timeline.

    Text that a spreadsheet would take for a formula is preceded by an apostrophe.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in figure_rows(data):
        writer.writerow([_safe(cell) if isinstance(cell, str) else _number(cell) for cell in row])
    return text.getvalue()


def figure_rows(data: ReportData) -> Iterator[Row]:
    """All figures, in the report's order."""
    for entry in data["contenders"]:
        yield from _contender(entry)
    labels = {entry["key"]: entry["label"] for entry in data["contenders"]}
    for pair in data["pairings"]:
        yield _estimate("pair", labels[pair["one"]], "", "", f"against {labels[pair['other']]}", "times", pair["ratio"])
    for effect in data["operation_effects"]:
        figure = f"{effect['operation']}: speed against {effect['other']}"
        yield _estimate("operation choice", effect["one"], "", effect["load"], figure, "times", effect["ratio"])
    for effect in data["effects"]:
        yield _estimate("choice", effect["one"], "", "", f"against {effect['other']}", "times", effect["ratio"])
        if len(effect["pairs"]) > 1:
            for pair in effect["pairs"]:
                against = f"{effect['title']}: against {labels[pair['other']]}"
                yield _estimate("matched pair", labels[pair["one"]], "", "", against, "times", pair["ratio"])
    for load in data["equal_loads"]:
        yield from _equal_load(load)
    for curve in data["scale_curves"]:
        yield from _scale(curve)
    for line in data["reference_lines"]:
        yield (
            "reference",
            line["label"],
            line["payload"] or "",
            "",
            "throughput",
            "/s",
            None,
            line["per_s"],
            None,
            None,
        )
    for chart in data["charts"]:
        if chart["slot"] not in _ALREADY:
            yield from _curve(chart)


def _contender(entry: ReportedContender) -> Iterator[Row]:
    who = (entry["label"], entry["payload"])
    yield ("contender", *who, "", f"class {entry['target_class']}", "", None, 1, None, None)
    for figure, value in (
        ("rank", entry["rank"]),
        ("optimal users", entry["optimal_users"]),
        ("breaking users", entry["breaking_users"]),
        ("share of generator capacity", entry["ceiling_share"]),
        *((f"times {name}", share) for name, share in entry["reference_shares"].items()),
    ):
        if value is not None:
            yield ("contender", *who, "", figure, "", None, value, None, None)
    for name, unit, estimate in (
        ("maximum throughput", "/s", entry["peak_throughput_per_s"]),
        ("sustainable throughput", "/s", entry["sustainable_throughput_per_s"]),
        ("start to healthy", "s", entry["start_to_healthy_s"]),
    ):
        if estimate is not None:
            yield _estimate("contender", *who, "", name, unit, estimate)
    for level in [*entry["levels"], *([entry["total"]] if entry["total"] is not None else [])]:
        yield from _level(*who, level)
    for run in entry["runs"]:
        yield from _run(*who, run)


def _level(who: str, payload: str, level: LevelFigures) -> Iterator[Row]:
    load = level["load"]
    yield _estimate("level", who, payload, load, "throughput", "/s", level["throughput_per_s"])
    yield _estimate("level", who, payload, load, "error rate", "share", level["error_rate"])
    for name, latency in level["latency_ms"].items():
        yield _estimate("level", who, payload, load, f"latency {name}", "ms", latency)
    for name, rate in (("sent", level["sent_bytes_per_s"]), ("received", level["received_bytes_per_s"])):
        if rate is not None:
            yield _estimate("level", who, payload, load, f"data {name}", "bytes/s", rate)
    for status, count in level["statuses"].items():
        yield ("level", who, payload, load, f"status {status}", "", None, count, None, None)
    for name, operation in level["operations"].items():
        yield from _operation(who, payload, load, name, operation)
    for figure, unit, value in (
        ("requests", "", level["requests"]),
        ("failed", "", level["failed"]),
        ("unsent", "", level["unsent"]),
        ("duration of all rounds", "s", level["duration_s"]),
        ("CPU per request", "% s", level["cpu_percent_s_each"]),
        ("memory per request", "MB s", level["memory_mb_s_each"]),
        *((f"errors {kind}", "", number) for kind, number in level["errors"].items()),
    ):
        if value is not None:
            yield ("level", who, payload, load, figure, unit, None, value, None, None)
    for role, cost in (*level["costs"].items(), *level["processes"].items()):
        for name, unit in _COSTS.items():
            found = cost[name]  # type: ignore[literal-required]
            if isinstance(found, dict):
                yield _estimate("level", who, payload, load, f"{role} {name}", unit, found)  # type: ignore[arg-type]
            elif found is not None:
                yield ("level", who, payload, load, f"{role} {name}", unit, None, found, None, None)
    for name, gauge in level["gauges"].items():
        yield _estimate("level", who, payload, load, f"{name} mean", gauge["unit"], gauge["mean"])
        yield _estimate("level", who, payload, load, f"{name} maximum", gauge["unit"], gauge["maximum"])


def _operation(who: str, payload: str, load: str, name: str, operation: OperationFigures) -> Iterator[Row]:
    def of(figure: str) -> str:
        return f"{name}: {figure}"

    yield _estimate("operation", who, payload, load, of("throughput"), "/s", operation["throughput_per_s"])
    yield _estimate("operation", who, payload, load, of("error rate"), "share", operation["error_rate"])
    for percentile, latency in operation["latency_ms"].items():
        yield _estimate("operation", who, payload, load, of(f"latency {percentile}"), "ms", latency)
    counts = {
        "requests": operation["requests"],
        "failed": operation["failed"],
        "checked replies": operation["checked"],
        "wrong checked replies": operation["checks_failed"],
        **{f"error {kind}": count for kind, count in operation["errors"].items()},
        **{f"status {status}": count for status, count in operation["statuses"].items()},
    }
    for figure, count in counts.items():
        yield ("operation", who, payload, load, of(figure), "", None, count, None, None)


def _run(who: str, payload: str, run: RunLine) -> Iterator[Row]:
    """What was seen beside the requests of one run."""
    place, database = f"run {run['id']}", run["database"]
    for part, figures, units in (("PostgreSQL", database, _DATABASE), ("machine", run["machine"], _MACHINE)):
        for name, unit in units.items():
            value = None if figures is None else figures[name]  # type: ignore[literal-required]
            if value is not None:
                yield ("run", who, payload, place, f"{part} {name}", unit, None, value, None, None)
    for event, share in ({} if database is None else database["waits"]).items():
        yield ("run", who, payload, place, f"PostgreSQL sessions at {event}", "share", None, share, None, None)


def _curve(chart: Chart) -> Iterator[Row]:
    unit = _UNITS.get(chart["y"]["format"], "")
    for series in chart["series"]:
        for point in series["points"]:
            payload, load = chart["group"] or "", chart["variant"] or ""
            yield ("curve", series["name"], payload, load, chart["title"], unit, point[0], point[1], None, None)


def _equal_load(load: ReportedEqualLoad) -> Iterator[Row]:
    at, names = f"{load['rate_per_s']:,.10g}/s", {line["key"]: line["name"] for line in load["contenders"]}
    for line in load["contenders"]:
        who = ("equal load", line["name"], load["group"], at)
        yield _estimate(*who, "throughput", "/s", line["throughput_per_s"])
        for name, latency in line["latency_ms"].items():
            yield _estimate(*who, name, "ms", latency)
        if line["cpu_us_each"] is not None:
            yield _estimate(*who, "cpu_us_each", "µs/operation", line["cpu_us_each"])
        yield (*who, "holds", "", None, float(line["holds"]), None, None)
        for name, rank in line["ranks"].items():
            yield (*who, f"rank by {name}", "", None, rank, None, None)
    for pair in load["pairings"]:
        figure = f"{pair['figure']} against {names[pair['other']]}"
        yield _estimate("equal load pair", names[pair["one"]], load["group"], at, figure, "times", pair["ratio"])


def _scale(curve: ReportedScale) -> Iterator[Row]:
    for step in curve["steps"]:
        who = ("scale", curve["name"], "", f"{curve['title']} {step['count']:,}")
        yield _estimate(*who, "throughput", "/s", step["throughput_per_s"])
        if step["fitted_per_s"] is not None:
            yield (*who, "fitted throughput", "/s", None, step["fitted_per_s"], None, None)
        yield (*who, "efficiency", "share", None, step["efficiency"], None, None)
        for role, cost in step["cpu_us_each"].items():
            yield (*who, f"{role} cpu_us_each", "µs/operation", None, cost, None, None)
    law, who = curve["law"], ("scale", curve["name"], "", curve["title"])
    if law is not None:
        yield _estimate(*who, "rate of one", "/s", law["rate_per_s"])
        yield _estimate(*who, "contention", "", law["contention"])
        yield _estimate(*who, "coherency", "", law["coherency"])
        for figure, value in (("peak", law["peak"]), ("misfit p", law["misfit_p"])):
            if value is not None:
                yield (*who, figure, "", None, value, None, None)


def _estimate(part: str, who: str, payload: str, load: str, name: str, unit: str, figure: Figure) -> Row:
    return (part, who, payload, load, name, unit, None, figure["median"], figure["low"], figure["high"])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


def _safe(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
