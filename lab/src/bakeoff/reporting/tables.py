"""The tables of the Markdown and terminal reports: headings and rows of text, independent of layout."""

import math
from collections.abc import Sequence

from bakeoff.judging.judgement import (
    LATENCIES,
    Contender,
    CostEstimate,
    Effect,
    Judgement,
    Level,
    ReferenceLine,
)
from bakeoff.reporting import numbers, observed_columns
from bakeoff.reporting.charts.costs import parts_of
from bakeoff.reporting.choices import by_payload, choice_tables
from bakeoff.reporting.equal_loads import equal_load_tables
from bakeoff.reporting.factor_effects import known_first, title_of, words_of
from bakeoff.reporting.figures import median_of, with_interval
from bakeoff.reporting.grouped_findings import evidence
from bakeoff.reporting.numbers import NOTHING
from bakeoff.reporting.operation_tables import operation_effects, operations, statuses
from bakeoff.reporting.scale_curves import scale_tables
from bakeoff.text.table import Table

MOST_ROWS = 60
"""Phases shown of one contender; all are in the JSON and the CSV."""

GAUGES_NOTE = (
    "Read from the target a few times a second: a peak between two readings is not seen. Mean and maximum of a phase, "
    "medians over rounds."
)

_VERDICTS = {"unknown": "too few rounds"}


def all_tables(judgement: Judgement) -> list[Table]:
    """In the order in which they are read; those without rows are left out."""
    several = len(judgement.divisions) > 1
    tables = [*equal_load_tables(judgement), *scale_tables(judgement.scale_curves)]
    for division in judgement.divisions:
        own = judgement.of_division(division)
        of = f", {division}" if several else ""
        tables += [
            ranking(judgement, own, of),
            *choice_tables(own, of),
            at_best(own, of),
            limits(own, of),
            latency(own, of),
        ]
        tables += [operations(own, of), statuses(own, of)]
        tables += [cost(own, of)]
        tables += [phases(own, of), resources(own, of), gauges(own, of)]
        tables += [postgresql(own, of), sessions(own, of), machine(own, of)]
    tables += [by_payload(judgement.contenders), effects(judgement.effects), matched_pairs(judgement)]
    tables += [operation_effects(judgement.operation_effects), references(judgement.reference_lines)]
    return [table for table in tables if table.rows]


def ranking(judgement: Judgement, entries: Sequence[Contender], of: str = "") -> Table:
    headings = ("rank", "target", "operations/s", "at", "relative to leader", "optimal", "breaks")
    note = (
        "optimal: users at optimal parallelism. breaks: users at the breaking point. "
        "In parentheses: intervals over the rounds."
    )
    return Table(f"Ranking{of}", headings, [_standing(judgement, entry) for entry in entries], left=2, note=note)


def at_best(entries: Sequence[Contender], of: str = "") -> Table:
    """The load that each is ranked by, as the table at the end of `run` shows it."""
    rows = [
        (
            entry.name,
            level.load,
            *(median_of(level.latency_ms.get(name), numbers.three_digits) for name in ("min", "mean", "p50", "p99")),
            numbers.count(level.failed),
            median_of(None if own is None else own.cpu_us_each, numbers.three_digits),
            median_of(None if own is None else own.memory_peak_mb, numbers.megabytes),
        )
        for entry in entries
        if (level := entry.best_level) is not None
        for own in [level.costs.get("target")]
    ]
    headings = ("target", "load", "min ms", "mean ms", "p50 ms", "p99 ms", "failed", "CPU µs/op", "MB")
    note = (
        "The lowest load whose throughput the rounds cannot tell from the highest, medians over rounds. CPU and peak "
        "memory of the target."
    )
    return Table(f"At the best load of each target{of}", headings, rows, left=2, note=note)


def limits(entries: Sequence[Contender], of: str = "") -> Table:
    rows = [
        (entry.name, entry.bottleneck.limited_by, evidence(entry.bottleneck.words))
        for entry in entries
        if entry.bottleneck.words
    ]
    return Table(f"Bottlenecks{of}", ("target", "limited by", "evidence"), rows, left=3)


def latency(entries: Sequence[Contender], of: str = "") -> Table:
    names = LATENCIES
    rows = [
        (entry.name, level.load, *(median_of(level.latency_ms.get(name), numbers.three_digits) for name in names))
        for entry in entries
        if (level := entry.optimal_level) is not None
    ]
    note = "Milliseconds at the optimal load of each target, medians over rounds."
    return Table(f"Latency{of}", ("target", "load", *names), rows, left=2, note=note)


def cost(entries: Sequence[Contender], of: str = "") -> Table:
    """Overall resource usage, as documented."""
    headings = ("target", "part", "µs/op", "CPU", "peak", "MB", "peak", "PSS", "memory", "peak")
    rows = [
        (
            entry.name,
            part,
            median_of(used.cpu_us_each, numbers.three_digits),
            *_used(used),
            median_of(used.pss_peak_mb, numbers.megabytes),
            _percent(used.memory_mean_percent),
            _percent(used.memory_peak_percent),
        )
        for entry in entries
        if entry.total is not None
        for part, used in parts_of(entry.total)
    ]
    note = (
        "All phases together. µs/op: CPU per operation. CPU: % of one core. memory: % of the limit where one is set, "
        "else of the machine's memory. Means, then peaks. PSS: peak in MB, shared pages counted in proportion."
    )
    return Table(f"Overall resource usage{of}", headings, rows, left=2, note=note)


def phases(entries: Sequence[Contender], of: str = "") -> Table:
    headings = ("target", "load", "operations/s", "mean", "p50", "p99", "requests", "failed", "sent", "received")
    note = "Latency in ms; sent and received in MB/s."
    rows = [(entry.name, *_phase(level)) for entry in entries for level in entry.levels[:MOST_ROWS]]
    return Table(f"Phases{of}", headings, rows, left=2, note=f"{note} {_left_out(entries)}".strip())


def resources(entries: Sequence[Contender], of: str = "") -> Table:
    """Resource usage by phase, as documented."""
    headings = ("target", "load", "CPU", "peak", "MB", "peak", "CPU %·s/req", "MB·s/req")
    rows = [
        (entry.name, level.load, *_used(level.costs["target"]), *_each(level))
        for entry in entries
        for level in entry.levels[:MOST_ROWS]
        if "target" in level.costs
    ]
    note = "The target alone. CPU: mean and peak, % of one core. /req: mean × seconds ÷ requests."
    return Table(f"Resource usage by phase{of}", headings, rows, left=2, note=note)


def gauges(entries: Sequence[Contender], of: str = "") -> Table:
    """What targets show of themselves, by phase."""
    rows = [
        (
            entry.name,
            level.load,
            name,
            numbers.three_digits(gauge.mean.median),
            numbers.three_digits(gauge.maximum.median),
            gauge.unit,
        )
        for entry in entries
        for level in entry.levels[:MOST_ROWS]
        for name, gauge in level.gauges.items()
    ]
    headings = ("target", "load", "gauge", "mean", "maximum", "unit")
    return Table(f"Gauges by phase{of}", headings, rows, left=3, note=GAUGES_NOTE, words_last=True)


def postgresql(entries: Sequence[Contender], of: str = "") -> Table:
    """PostgreSQL's own view of each, in figures."""
    figures = [column for column in observed_columns.DATABASE if not column.words]
    headings = ("target", *(column.heading for column in figures))
    rows = [
        (entry.name, *observed_columns.cells(figures, entry.database))
        for entry in entries
        if entry.database is not None
    ]
    note = f"{observed_columns.DATABASE_NOTE} Medians over rounds."
    return Table(f"PostgreSQL activity{of}", headings, rows, note=note)


def sessions(entries: Sequence[Contender], of: str = "") -> Table:
    """What its sessions were at: a column of words that needs a table of its own."""
    words = [column for column in observed_columns.DATABASE if column.words]
    headings = ("target", *(column.heading for column in words))
    rows = [
        (entry.name, *observed_columns.cells(words, entry.database))
        for entry in entries
        if entry.database is not None and entry.database["waits"]
    ]
    return Table(f"Active sessions{of}", headings, rows, left=2, note=observed_columns.SESSIONS_NOTE)


def machine(entries: Sequence[Contender], of: str = "") -> Table:
    """What the machine was like around each."""
    headings = ("target", *(column.heading for column in observed_columns.MACHINE))
    rows = [
        (entry.name, *observed_columns.cells(observed_columns.MACHINE, entry.machine))
        for entry in entries
        if entry.machine is not None
    ]
    return Table(f"The machine{of}", headings, rows, note=f"{observed_columns.MACHINE_NOTE} Medians over rounds.")


def effects(found: Sequence[Effect]) -> Table:
    rows = [
        (
            title_of(each.factor),
            f"{words_of(each.factor, each.one)} against {words_of(each.factor, each.other)}",
            with_interval(each.ratio, numbers.ratio),
            _VERDICTS.get(each.verdict, each.verdict),
        )
        for each in known_first(found)
    ]
    headings = ("factor", "levels", "throughput ratio", "verdict")
    return Table("Effect of each factor", headings, rows, left=2, words_last=True)


def matched_pairs(judgement: Judgement) -> Table:
    """What the effects of several pairs are made of."""
    labels = {entry.key: entry.label for entry in judgement.contenders}
    rows = [
        (
            title_of(effect.factor),
            labels[each.one],
            labels[each.other],
            with_interval(each.ratio, numbers.ratio),
            _VERDICTS.get(each.verdict, each.verdict),
        )
        for effect in known_first(judgement.effects)
        if len(effect.pairs) > 1
        for each in effect.pairs
        if math.isfinite(each.ratio.median)
    ]
    headings = ("factor", "target", "against", "throughput ratio", "verdict")
    note = "Contenders that differ in one factor alone; Holm's correction is over the pairs of one effect."
    return Table("Matched pairs of each factor", headings, rows, left=3, note=note, words_last=True)


def references(lines: Sequence[ReferenceLine]) -> Table:
    rows = [
        (
            f"{line.label}, payload {line.payload}" if line.payload else line.label,
            numbers.rate(line.per_s),
        )
        for line in lines
    ]
    return Table(
        "Limits",
        ("reference", "operations/s"),
        rows,
        note=("PostgreSQL without an API, and the capacity of the generator."),
    )


def _standing(judgement: Judgement, entry: Contender) -> Sequence[str]:
    best = entry.best_level
    tie = f" (tie with {numbers.few(judgement.names(entry.tied_with))})" if entry.tied_with else ""
    return (
        NOTHING if entry.rank is None else str(entry.rank),
        f"{entry.name}{tie}",
        with_interval(entry.peak_throughput_per_s, numbers.rate),
        NOTHING if best is None else best.load,
        _against(judgement, entry),
        NOTHING if entry.optimal_users is None else numbers.count(entry.optimal_users),
        NOTHING if entry.breaking_users is None else numbers.count(entry.breaking_users),
    )


def _against(judgement: Judgement, entry: Contender) -> str:
    if entry.rank is None:
        return "not ranked"
    pairing = judgement.against_leader(entry)
    if pairing is None:
        return "leader" if entry.rank == 1 else NOTHING
    tie = "tie, " if pairing.verdict == "tie" else ""
    return f"{tie}{with_interval(pairing.ratio, numbers.ratio)}"


def _phase(level: Level) -> Sequence[str]:
    return (
        level.load,
        median_of(level.throughput_per_s, numbers.rate),
        *(median_of(level.latency_ms.get(name), numbers.three_digits) for name in ("mean", "p50", "p99")),
        numbers.count(level.requests),
        numbers.count(level.failed),
        median_of(level.sent_bytes_per_s, numbers.data_rate),
        median_of(level.received_bytes_per_s, numbers.data_rate),
    )


def _used(cost: CostEstimate) -> Sequence[str]:
    return (
        median_of(cost.cpu_percent_mean, numbers.percent_of_core),
        median_of(cost.cpu_percent_peak, numbers.percent_of_core),
        median_of(cost.memory_mean_mb, numbers.megabytes),
        median_of(cost.memory_peak_mb, numbers.megabytes),
    )


def _each(level: Level) -> Sequence[str]:
    return numbers.three_digits(level.cpu_percent_s_each), numbers.three_digits(level.memory_mb_s_each)


def _left_out(entries: Sequence[Contender]) -> str:
    more = sum(max(0, len(entry.levels) - MOST_ROWS) for entry in entries)
    return f"{numbers.plural(more, 'more phase')}: in the JSON and the CSV of this report." if more else ""


def _percent(value: float | None) -> str:
    return numbers.percent(None if value is None else value / 100)
