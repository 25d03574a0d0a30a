"""The tables of the Markdown and terminal reports that tell operations apart."""

from collections.abc import Callable, Sequence

from bakeoff.reporting import numbers
from bakeoff.reporting.numbers import NOTHING
from bakeoff.reporting.shape import Figure, ReportData, ReportedContender
from bakeoff.reporting.text_table import Table

VERDICTS = {"unknown": "too few rounds"}


def operations(entries: Sequence[ReportedContender], of: str = "") -> Table:
    """Each operation at the load that its contender is ranked by."""
    rows = [
        (
            name,
            entry["name"],
            level["load"],
            _plain(each["throughput_per_s"], numbers.rate),
            *(_plain(each["latency_ms"].get(latency), numbers.three_digits) for latency in _LATENCIES),
            _plain(each["error_rate"], numbers.percent),
            numbers.percent(entry["checks"].get(name)),
        )
        for name in operation_names(entries)
        for entry in entries
        if (level := entry["at_best"]) is not None and (each := level["operations"].get(name)) is not None
    ]
    headings = ("operation", "target", "load", "requests/s", *_LATENCIES, "failed", "checked")
    note = (
        "At the best load of each target, medians over rounds, latency in ms. checked: the fraction of replies whose "
        "content is checked; failed counts the others as often wrong as those."
    )
    return Table(f"Operations{of}", headings, rows, left=3, note=note)


_LATENCIES = ("min", "mean", "p50", "p99")


def statuses(entries: Sequence[ReportedContender], of: str = "") -> Table:
    """Replies by status and failures by kind, of all phases and rounds."""
    rows = [
        (entry["name"], name, counts(each["statuses"]), counts(each["errors"]))
        for entry in entries
        if entry["total"] is not None
        for name, each in entry["total"]["operations"].items()
    ]
    note = "All phases and rounds together."
    return Table(f"Replies by status{of}", ("target", "operation", "statuses", "failures"), rows, left=4, note=note)


def operation_effects(data: ReportData) -> Table:
    rows = [
        (
            each["title"],
            f"{each['one']} against {each['other']}",
            each["operation"],
            each["load"],
            _interval(each["ratio"]),
            VERDICTS.get(each["verdict"], each["verdict"]),
        )
        for each in data["operation_effects"]
    ]
    headings = ("factor", "levels", "operation", "load", "times as fast", "verdict")
    note = "How many times as fast an operation is answered, by mean latency, at one load of all contenders."
    return Table("Effect of each factor on each operation", headings, rows, left=4, note=note, words_last=True)


def operation_names(entries: Sequence[ReportedContender]) -> list[str]:
    """In the order in which the engine named them, each once."""
    levels = [entry["at_best"] for entry in entries]
    return list(dict.fromkeys(name for level in levels if level is not None for name in level["operations"]))


def counts(by_name: dict[str, int]) -> str:
    """`200 × 1,234, 404 × 5`."""
    return ", ".join(f"{name} × {numbers.count(count)}" for name, count in by_name.items()) or NOTHING


def _plain(figure: Figure | None, write: Callable[[float | None], str]) -> str:
    return write(None if figure is None else figure["median"])


def _interval(figure: Figure) -> str:
    if figure["low"] is None or figure["high"] is None:
        return numbers.ratio(figure["median"])
    low, high = numbers.ratio(figure["low"]).removesuffix("×"), numbers.ratio(figure["high"])
    return f"{numbers.ratio(figure['median'])} ({low}–{high})"
