"""The tables of the Markdown and terminal reports by operation."""

from collections.abc import Mapping, Sequence

from bakeoff.judging.judgement import Effect, JudgedContender
from bakeoff.reporting import numbers
from bakeoff.reporting.factor_effects import compared_levels, known_first
from bakeoff.reporting.figures import median_of, ratio_with_interval
from bakeoff.reporting.numbers import NOTHING
from bakeoff.text.table import Table

VERDICTS = {"unknown": "too few rounds"}


def operations(entries: Sequence[JudgedContender]) -> Table:
    """Each operation at the load that its contender is ranked by."""
    rows = [
        (
            name,
            entry.name,
            level.load,
            median_of(each.throughput_per_s, numbers.rate),
            *(median_of(each.latency_ms.get(latency), numbers.three_digits) for latency in _LATENCIES),
            median_of(each.error_rate, numbers.percent),
            numbers.percent(entry.checks.get(name)),
        )
        for name in operation_names(entries)
        for entry in entries
        if (level := entry.best_level) is not None and (each := level.operations.get(name)) is not None
    ]
    headings = ("operation", "target", "load", "requests/s", *_LATENCIES, "failed", "checked")
    note = (
        "At the best load of each target, medians over rounds, latency in ms. checked: the fraction of replies with "
        "checked content; the others are taken to fail as often."
    )
    return Table("Operations", headings, rows, left=3, note=note)


_LATENCIES = ("min", "mean", "p50", "p99")


def statuses(entries: Sequence[JudgedContender]) -> Table:
    """Replies by status and failures by kind, of all phases and rounds."""
    rows = [
        (entry.name, name, counts(each.statuses), counts(each.errors))
        for entry in entries
        if entry.total is not None
        for name, each in entry.total.operations.items()
    ]
    note = "All phases and rounds together."
    return Table("Replies by status", ("target", "operation", "statuses", "failures"), rows, left=4, note=note)


def operation_effects(effects: Sequence[Effect]) -> Table:
    rows = [
        (
            *compared_levels(each),
            each.operation,
            each.load,
            ratio_with_interval(each.ratio),
            VERDICTS.get(each.verdict, each.verdict),
        )
        for each in known_first(effects)
    ]
    headings = ("factor", "levels", "operation", "load", "times as fast", "verdict")
    note = "Ratio of mean latencies of an operation, at one load of all contenders."
    return Table("Effect of each factor on each operation", headings, rows, left=4, note=note, words_last=True)


def operation_names(entries: Sequence[JudgedContender]) -> list[str]:
    """In the order in which the engine named them, each once."""
    levels = [entry.best_level for entry in entries]
    return list(dict.fromkeys(name for level in levels if level is not None for name in level.operations))


def counts(by_name: Mapping[str, int]) -> str:
    """`200 × 1,234, 404 × 5`."""
    return ", ".join(f"{name} × {numbers.count(count)}" for name, count in by_name.items()) or NOTHING
