"""The tables of the Markdown and terminal reports: headings and rows of text, independent of layout."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bakeoff.judging.judgement import (
    CostEstimate,
    JudgedContender,
    Judgement,
    Level,
    Pairing,
    ReferenceLine,
)
from bakeoff.judging.verdict import detectable_words, standing_of, verdict_words
from bakeoff.reporting import numbers, observed_columns
from bakeoff.reporting.charts.costs import parts_of
from bakeoff.reporting.choices import by_payload, choice_tables
from bakeoff.reporting.equal_loads import equal_load_tables
from bakeoff.reporting.factor_effects import compared_levels, known_first, title_of, what_is_equal
from bakeoff.reporting.figures import MEMORY, RATIO_INTERVALS, RATIOS, median_of, ratio_with_interval, with_interval
from bakeoff.reporting.grouped_findings import evidence
from bakeoff.reporting.missing import WITHOUT_UPKEEP
from bakeoff.reporting.missing_percentiles import explained
from bakeoff.reporting.numbers import NOTHING
from bakeoff.reporting.observed_columns import Column, Figures
from bakeoff.reporting.operation_tables import operation_effects, operations, statuses
from bakeoff.reporting.reasons import NO_REASONS, Reasons, reasons_table
from bakeoff.reporting.scale_curves import scale_tables
from bakeoff.reporting.stacks import stack_table
from bakeoff.reporting.sustained import sustained_table
from bakeoff.results.histograms import LATENCIES
from bakeoff.results.run import HOSTILE_CONNECTIONS
from bakeoff.text.prose import capitalised
from bakeoff.text.table import Table

MOST_ROWS = 60
"""Phases shown of one contender; all are in the JSON and the CSV."""

GAUGES_NOTE = (
    "Read from the target a few times a second: a peak between two readings is not seen. Mean and maximum of a phase, "
    "medians over rounds."
)

_MEDIANS = "Medians over rounds."
_SURE = 0.05


def all_tables(judgement: Judgement, reasons: Reasons = NO_REASONS) -> list[Table]:
    """In the order in which they are read; those without rows are left out."""
    tables = [reasons_table(reasons), *equal_load_tables(judgement), *scale_tables(judgement.scale_curves)]
    tables.append(sustained_table(judgement.contenders))
    for division in judgement.divisions:
        own = judgement.of_division(division)
        of_division = [ranking(judgement, own), *choice_tables(judgement, own)]
        of_division += [each(own) for each in _OF_A_DIVISION]
        of = f", {division}" if len(judgement.divisions) > 1 else ""
        tables += [replace(table, title=f"{table.title}{of}") for table in of_division]
    tables += [pairs(judgement), by_payload(judgement.contenders)]
    tables += [effects(judgement), matched_pairs(judgement)]
    tables += [operation_effects(judgement.operation_effects), references(judgement.reference_lines)]
    return [explained(table) for table in tables if table.rows]


def ranking(judgement: Judgement, entries: Sequence[JudgedContender]) -> Table:
    headings = ("rank", "target", "operations/s", "at", "relative to leader", "optimal", "breaks")
    note = (
        "rank: a range where ties leave it open. optimal: users at optimal parallelism. breaks: users at the "
        "breaking point. "
        f"In parentheses: intervals over the rounds, those of ratios at the level of their test. {RATIOS}"
    )
    if judgement.lacks_upkeep:
        note += f" {capitalised(WITHOUT_UPKEEP)}."
    rows = [_standing(judgement, entry) for entry in entries]
    return Table("Ranking", headings, rows, left=2, note=note, least=("breaks", "optimal", "at"), kept=2)


def at_best(entries: Sequence[JudgedContender]) -> Table:
    """The load that each is ranked by, as the table at the end of `run` shows it."""
    rows = [
        (
            entry.name,
            level.load,
            *(median_of(level.latency_ms.get(name), numbers.three_digits) for name in ("min", "mean", "p50", "p99")),
            numbers.count(level.failed),
            median_of(level.of_target("cpu_us_each"), numbers.three_digits),
            median_of(level.of_target("memory_peak_mb"), numbers.megabytes),
        )
        for entry in entries
        if (level := entry.best_level) is not None
    ]
    headings = ("target", "load", "min ms", "mean ms", "p50 ms", "p99 ms", "failed", "CPU µs/op", "MB")
    note = (
        "The load that ranks, medians over rounds. CPU and peak memory of the target. Each target does another amount "
        "of work here: compare latency and CPU at an equal load."
    )
    least = ("min ms", "mean ms", "MB", "CPU µs/op")
    return Table("At the best load of each target", headings, rows, left=2, note=note, least=least)


def limits(entries: Sequence[JudgedContender]) -> Table:
    rows = [
        (entry.name, entry.bottleneck.limited_by, evidence(entry.bottleneck.words))
        for entry in entries
        if entry.bottleneck.words
    ]
    return Table("Bottlenecks", ("target", "limited by", "evidence"), rows, left=3)


def hostile_connections(entries: Sequence[JudgedContender]) -> Table:
    """A row for each target, where one of them was tried."""
    rows = [(entry.name, entry.environment.get(HOSTILE_CONNECTIONS, NOTHING)) for entry in entries]
    was_tried = any(outcome != NOTHING for _, outcome in rows)
    return Table("Hostile connections", ("target", "outcome"), rows if was_tried else [], left=2)


def latency(entries: Sequence[JudgedContender]) -> Table:
    rows = [
        (entry.name, level.load, *(median_of(level.latency_ms.get(name), numbers.three_digits) for name in LATENCIES))
        for entry in entries
        if (level := entry.optimal_level) is not None
    ]
    note = "Milliseconds at the optimal load of each target, medians over rounds."
    return Table("Latency", ("target", "load", *LATENCIES), rows, left=2, note=note)


def cost(entries: Sequence[JudgedContender]) -> Table:
    """Overall resource usage, as documented."""
    headings = ("target", "part", "µs/op", "CPU", "peak", "MB", "peak", "PSS", "memory", "peak")
    rows = [
        (
            entry.name,
            part,
            median_of(used.cpu_us_each, numbers.three_digits),
            *_used(used),
            median_of(used.pss_peak_mb, numbers.megabytes),
            numbers.percent_of_hundred(used.memory_mean_percent),
            numbers.percent_of_hundred(used.memory_peak_percent),
        )
        for entry in entries
        if entry.total is not None
        for part, used in parts_of(entry.total)
    ]
    note = (
        "All phases together. µs/op: CPU per operation. CPU: % of one core. memory: % of the limit where one is set, "
        f"else of the machine's memory. Means, then peaks, PSS its peak in MB. {MEMORY}"
    )
    return Table("Overall resource usage", headings, rows, left=2, note=note)


def phases(entries: Sequence[JudgedContender]) -> Table:
    headings = ("target", "load", "operations/s", "mean", "p50", "p99", "requests", "failed", "sent", "received")
    rows = [(name, *_phase(level)) for name, level in _levels(entries)]
    note = f"Latency in ms; sent and received in MB/s. {_left_out(entries)}".strip()
    return Table("Phases", headings, rows, left=2, note=note, least=("received", "sent", "requests", "mean"))


def resources(entries: Sequence[JudgedContender]) -> Table:
    """Resource usage by phase, as documented."""
    headings = ("target", "load", "CPU", "peak", "MB", "peak", "CPU %·s/req", "MB·s/req")
    rows = [
        (
            name,
            level.load,
            *_used(level.costs["target"]),
            *map(numbers.three_digits, (level.cpu_percent_s_each, level.memory_mb_s_each)),
        )
        for name, level in _levels(entries)
        if "target" in level.costs
    ]
    note = "The target alone. CPU: mean and peak, % of one core. /req: mean × seconds ÷ requests."
    return Table("Resource usage by phase", headings, rows, left=2, note=note)


def gauges(entries: Sequence[JudgedContender]) -> Table:
    """The gauges of targets, by phase."""
    rows = [
        (
            target,
            level.load,
            name,
            numbers.three_digits(gauge.mean.median),
            numbers.three_digits(gauge.maximum.median),
            gauge.unit,
        )
        for target, level in _levels(entries)
        for name, gauge in level.gauges.items()
    ]
    headings = ("target", "load", "gauge", "mean", "maximum", "unit")
    return Table("Gauges by phase", headings, rows, left=3, note=GAUGES_NOTE, words_last=True)


def postgresql(entries: Sequence[JudgedContender]) -> Table:
    """PostgreSQL's own counters of each, in figures."""
    columns = [column for column in observed_columns.DATABASE if not column.words]
    figures = [(entry.name, entry.database) for entry in entries]
    return _observed("PostgreSQL activity", columns, figures, f"{observed_columns.DATABASE_NOTE} {_MEDIANS}")


def sessions(entries: Sequence[JudgedContender]) -> Table:
    """Waits of its sessions: a column of words that needs a table of its own."""
    columns = [column for column in observed_columns.DATABASE if column.words]
    figures = [(entry.name, entry.database) for entry in entries if entry.database and entry.database.waits]
    return _observed("Active sessions", columns, figures, observed_columns.SESSIONS_NOTE, left=2)


def machine(entries: Sequence[JudgedContender]) -> Table:
    """The machine's state around each."""
    figures = [(entry.name, entry.machine) for entry in entries]
    return _observed("The machine", observed_columns.MACHINE, figures, f"{observed_columns.MACHINE_NOTE} {_MEDIANS}")


def _observed(
    title: str, columns: Sequence[Column], figures: Sequence[tuple[str, Figures | None]], note: str, left: int = 1
) -> Table:
    rows = [(name, *observed_columns.cells(columns, own)) for name, own in figures if own is not None]
    return Table(title, ("target", *(column.heading for column in columns)), rows, left=left, note=note)


def effects(judgement: Judgement) -> Table:
    rows = [
        (*compared_levels(each), ratio_with_interval(each.ratio), verdict_words(judgement, each))
        for each in known_first(judgement.effects)
    ]
    headings = ("factor", "levels", "throughput ratio", "verdict")
    return Table("Effect of each factor", headings, rows, left=2, note=RATIO_INTERVALS, words_last=True)


def pairs(judgement: Judgement) -> Table:
    """Every two contenders that are ranked together, in the order of the ranking, where there are more than two."""
    labels = {entry.key: entry.label for entry in judgement.contenders}
    place = {key: number for number, key in enumerate(labels)}
    ordered = (each if place[each.one] < place[each.other] else each.inverted() for each in judgement.pairings)
    rows = [
        (
            labels[each.one],
            labels[each.other],
            ratio_with_interval(each.ratio),
            numbers.p_value(each.p_adjusted),
            verdict_words(judgement, each),
            NOTHING if each.detectable is None else detectable_words(each.detectable),
        )
        for each in sorted(ordered, key=lambda each: (place[each.one], place[each.other]))
        if math.isfinite(each.ratio.median)
    ]
    headings = ("target", "against", "throughput ratio", "adjusted p", "verdict", "detectable")
    note = (
        "Adjusted p: Holm's correction over everything in this report that has a verdict. tie: no difference was "
        "found. equivalent: the interval excludes a larger difference. detectable: the true difference that four of "
        f"five such comparisons would find. {RATIO_INTERVALS}"
    )
    if any(each.verdict == "tie" and (each.p_adjusted or 1.0) <= _SURE for each in judgement.pairings):
        note += (
            f" A tie with an adjusted p of {_SURE} or less is no larger than A/A pairs differ, or its median and its "
            "mean differ in direction."
        )
    return Table("Every pair", headings, rows if len(rows) > 1 else [], left=2, note=note)


def matched_pairs(judgement: Judgement) -> Table:
    """The pairs behind each effect, where one has several."""
    labels = {entry.key: entry.label for entry in judgement.contenders}
    rows = [
        (
            title_of(effect.factor),
            labels[each.one],
            labels[each.other],
            ratio_with_interval(each.ratio),
            verdict_words(judgement, each),
        )
        for effect in known_first(judgement.effects)
        for each in effect.pairs
        if math.isfinite(each.ratio.median)
    ]
    headings = ("factor", "target", "against", "throughput ratio", "verdict")
    note = f"{what_is_equal(judgement.effects)} Tested once, with all else that has a verdict here (Holm)."
    several = any(len(effect.pairs) > 1 for effect in judgement.effects)
    return Table("Matched pairs of each factor", headings, rows if several else [], left=3, note=note, words_last=True)


def references(lines: Sequence[ReferenceLine]) -> Table:
    rows = [
        (f"{line.label}, payload {line.payload}" if line.payload else line.label, numbers.rate(line.per_s))
        for line in lines
    ]
    note = (
        "PostgreSQL without an API, and the capacity of the generator. A share of the line with as many operations per "
        "commit shows what everything around PostgreSQL costs. A multiple of one upsert per event shows what batching "
        "gains."
    )
    return Table("Limits", ("reference", "operations/s"), rows, note=note)


_OF_A_DIVISION = (
    at_best, limits, hostile_connections, stack_table, latency, operations, statuses, cost, phases, resources, gauges,
    postgresql, sessions, machine,
)  # fmt: skip


def _standing(judgement: Judgement, entry: JudgedContender) -> Sequence[str]:
    best, standing = entry.best_level, standing_of(judgement, entry)
    tie = f" (tie with {numbers.few(judgement.names(entry.tied_with))})" if entry.tied_with else ""
    return (
        numbers.ranks(entry.rank, entry.tied_with),
        f"{entry.name}{tie}",
        with_interval(entry.peak_throughput_per_s, numbers.rate),
        NOTHING if best is None else best.load,
        standing if isinstance(standing, str) else _against(standing),
        NOTHING if entry.optimal_users is None else numbers.count(entry.optimal_users),
        NOTHING if entry.breaking_users is None else numbers.count(entry.breaking_users),
    )


def _against(pairing: Pairing) -> str:
    tie = "tie, " if pairing.verdict == "tie" else ""
    return f"{tie}{ratio_with_interval(pairing.ratio)}"


def _levels(entries: Sequence[JudgedContender]) -> Iterator[tuple[str, Level]]:
    return ((entry.name, level) for entry in entries for level in entry.levels[:MOST_ROWS])


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


def _left_out(entries: Sequence[JudgedContender]) -> str:
    more = sum(max(0, len(entry.levels) - MOST_ROWS) for entry in entries)
    return f"{numbers.plural(more, 'more phase')}: in the JSON and the CSV of this report." if more else ""
