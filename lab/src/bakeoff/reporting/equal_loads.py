"""Contenders at one rate that all were offered: the tables of every format."""

import math
from collections.abc import Mapping, Sequence

from bakeoff.judging.equal_load import LATENCIES
from bakeoff.judging.judgement import EqualLoad, EqualLoadEntry, Estimate, Judgement, Pairing
from bakeoff.reporting import numbers
from bakeoff.reporting.figures import RATIO_INTERVALS, ratio_with_interval, with_interval
from bakeoff.reporting.numbers import NOTHING
from bakeoff.text.table import Table

_FIGURES = {"p99": "p99", "cpu": "CPU per operation"}
_WORDS = {"faster": "lower", "slower": "higher", "tie": "tie", "unknown": "too few rounds"}
_NOTE = (
    "Every contender gets the same rate, in the open model: latency in ms from the instant at which a request was due. "
    "CPU: µs of the target per operation. Ranks by p99 and by CPU: a range where ties leave it open, ~ indicative. In "
    "parentheses: intervals over the rounds. maximum: operations/s of the closed model over the same connections, in "
    "the same rounds."
)


def equal_load_tables(judgement: Judgement, most_pairs: float = math.inf) -> list[Table]:
    """A table for each rate, the highest first, and one of all pairs, unless these are more than that."""
    loads = judgement.equal_loads
    several = len({load.division for load in loads}) > 1
    maxima = {each.key: each.peak_throughput_per_s for each in judgement.contenders}
    tables = [_table(load, f", {load.division}" if several else "", maxima) for load in loads]
    has_pairs = 0 < sum(len(pairs_of(load)) for load in loads) <= most_pairs
    return [*tables, *([_table_of_pairs(loads)] if has_pairs else [])]


def pairs_of(load: EqualLoad) -> list[tuple[str, Pairing]]:
    """The pairs that have a ratio, with the name of their figure."""
    return [
        (figure, pairing)
        for figure, pairings in load.pairings.items()
        for pairing in pairings
        if math.isfinite(pairing.ratio.median)
    ]


def not_held_lines(loads: Sequence[EqualLoad]) -> list[str]:
    """A line for each contender that has no rank at a rate, with the reason."""
    return [
        f"{entry.label} has no rank at {load.rate_per_s:,.10g}/s: {entry.unranked}."
        for load in loads
        for entry in load.entries
        if entry.unranked
    ]


def _table(load: EqualLoad, of: str, maxima: Mapping[str, Estimate | None]) -> Table:
    names = [f"{name} ms" for name in LATENCIES]
    headings = ("target", "rank by p99", "by CPU", *names, "CPU", "maximum", "rate ÷ maximum")
    rows = [
        (
            entry.label if entry.holds else f"{entry.label} (does not hold it)",
            _rank(entry, "p99"),
            _rank(entry, "cpu"),
            *(with_interval(entry.latency_ms.get(name), numbers.three_digits) for name in LATENCIES),
            with_interval(entry.cpu_us_each, numbers.three_digits),
            numbers.rate(None if maximum is None else maximum.median),
            numbers.percent(load.rate_per_s / maximum.median if maximum is not None and maximum.median > 0 else None),
        )
        for entry in load.entries
        for maximum in [maxima.get(entry.key)]
    ]
    note = " ".join([_NOTE, *not_held_lines([load])])
    return Table(f"At an equal load of {load.rate_per_s:,.10g}/s{of}", headings, rows, note=note)


def _table_of_pairs(loads: Sequence[EqualLoad]) -> Table:
    names = {entry.key: entry.label for load in loads for entry in load.entries}
    rows = [
        (
            f"{names[pair.one]} against {names[pair.other]}",
            f"{_FIGURES[figure]} at {load.rate_per_s:,.10g}/s",
            ratio_with_interval(pair.ratio),
            numbers.p_value(pair.p_adjusted),
            _WORDS[pair.verdict],
        )
        for load in loads
        for figure, pair in pairs_of(load)
    ]
    headings = ("contenders", "figure", "ratio", "adjusted p", "verdict")
    note = (
        "Ratios of the figures, round by round; adjusted p after Holm's correction over all verdicts of the report. "
        f"{RATIO_INTERVALS}"
    )
    return Table("Pairs at an equal load", headings, rows, left=2, note=note, words_last=True)


def _rank(entry: EqualLoadEntry, name: str) -> str:
    if name not in entry.ranks:
        return "~" if entry.holds and entry.unranked else NOTHING
    return numbers.ranks(entry.ranks[name], entry.tied_with.get(name, ()))
