"""Contenders at one rate that all were offered: entries of the report's data, and the tables of every format."""

import math
from collections.abc import Sequence

from bakeoff.judging.equal_load import LATENCIES
from bakeoff.judging.judgement import EqualLoad, EqualLoadEntry, Estimate, Judgement
from bakeoff.reporting import numbers
from bakeoff.reporting.estimate_entries import figure, figure_or_none
from bakeoff.reporting.numbers import NOTHING, rounded
from bakeoff.reporting.shape import EqualLoadLine, EqualLoadPairing, Figure, ReportedEqualLoad
from bakeoff.reporting.text_table import Table

_FIGURES = {"p99": "p99", "cpu": "CPU per operation"}
_WORDS = {"faster": "lower", "slower": "higher", "tie": "tie", "unknown": "too few rounds"}
_NOTE = (
    "Every contender gets the same rate, in the open model: latency in ms from the instant at which a request was due. "
    "CPU: µs of the target per operation. Ranks by p99 and by CPU: = tie, ~ indicative. In parentheses: intervals over "
    "the rounds. maximum: operations/s of the closed model over the same connections, in the same rounds."
)


def equal_load_entries(judgement: Judgement) -> list[ReportedEqualLoad]:
    """The rates of the judgement, the highest first."""
    maxima = {each.key: each.peak_throughput_per_s for each in judgement.contenders}
    return [
        {
            "group": load.division,
            "rate_per_s": rounded(load.rate_per_s),
            "contenders": [_line(entry, load, maxima.get(entry.key)) for entry in load.entries],
            "pairings": _pairings(load),
        }
        for load in judgement.equal_loads
    ]


def equal_load_tables(loads: Sequence[ReportedEqualLoad]) -> list[Table]:
    """A table for each rate, and one of all pairs."""
    several = len({load["group"] for load in loads}) > 1
    tables = [_table(load, f", {load['group']}" if several else "") for load in loads]
    return [*tables, *([_table_of_pairs(loads)] if any(load["pairings"] for load in loads) else [])]


def not_held_lines(loads: Sequence[ReportedEqualLoad]) -> list[str]:
    """A line for each contender that has no rank at a rate, with the reason."""
    return [
        f"{line['name']} has no rank at {load['rate_per_s']:,.10g}/s: {line['unranked']}."
        for load in loads
        for line in load["contenders"]
        if line["unranked"]
    ]


def _table(load: ReportedEqualLoad, of: str) -> Table:
    names = [f"{name} ms" for name in LATENCIES]
    headings = ("target", "rank by p99", "by CPU", *names, "CPU", "maximum", "rate ÷ maximum")
    rows = [
        (
            line["name"] if line["holds"] else f"{line['name']} (does not hold it)",
            _rank(line, "p99"),
            _rank(line, "cpu"),
            *(_interval(line["latency_ms"][name]) for name in LATENCIES),
            _interval(line["cpu_us_each"]),
            numbers.rate(None if line["maximum_per_s"] is None else line["maximum_per_s"]["median"]),
            _share(load["rate_per_s"], line["maximum_per_s"]),
        )
        for line in load["contenders"]
    ]
    note = " ".join([_NOTE, *not_held_lines([load])])
    return Table(f"At an equal load of {load['rate_per_s']:,.10g}/s{of}", headings, rows, note=note)


def _table_of_pairs(loads: Sequence[ReportedEqualLoad]) -> Table:
    names = {line["key"]: line["name"] for load in loads for line in load["contenders"]}
    rows = [
        (
            f"{names[pair['one']]} against {names[pair['other']]}",
            f"{_FIGURES[pair['figure']]} at {load['rate_per_s']:,.10g}/s",
            _ratio(pair["ratio"]),
            numbers.three_digits(pair["p_adjusted"]),
            _WORDS[pair["verdict"]],
        )
        for load in loads
        for pair in load["pairings"]
    ]
    headings = ("contenders", "figure", "ratio", "adjusted p", "verdict")
    note = "Ratios of the figures, round by round; adjusted p after Holm's correction over all pairs of this table."
    return Table("Pairs at an equal load", headings, rows, left=2, note=note, words_last=True)


def _line(entry: EqualLoadEntry, load: EqualLoad, maximum: Estimate | None) -> EqualLoadLine:
    labels = {each.key: each.label for each in load.entries}
    return {
        "key": entry.key,
        "name": entry.label,
        "holds": entry.holds,
        "unranked": entry.unranked,
        "throughput_per_s": figure(entry.throughput_per_s),
        "latency_ms": {name: figure(entry.latency_ms[name]) for name in LATENCIES},
        "cpu_us_each": figure_or_none(entry.cpu_us_each),
        "maximum_per_s": figure_or_none(maximum),
        "ranks": dict(entry.ranks),
        "tied_with": {name: [labels[key] for key in keys] for name, keys in entry.tied_with.items()},
    }


def _pairings(load: EqualLoad) -> list[EqualLoadPairing]:
    return [
        {
            "figure": name,
            "one": pairing.one,
            "other": pairing.other,
            "ratio": figure(pairing.ratio),
            "p_adjusted": None if pairing.p_adjusted is None else rounded(pairing.p_adjusted, 2),
            "verdict": pairing.verdict,
        }
        for name, pairings in load.pairings.items()
        for pairing in pairings
        if math.isfinite(pairing.ratio.median)
    ]


def _rank(line: EqualLoadLine, name: str) -> str:
    if name not in line["ranks"]:
        return "~" if line["holds"] and line["unranked"] else NOTHING
    return f"{line['ranks'][name]}{'=' if line['tied_with'].get(name) else ''}"


def _share(rate_per_s: float, maximum: Figure | None) -> str:
    return numbers.percent(rate_per_s / maximum["median"] if maximum is not None and maximum["median"] > 0 else None)


def _interval(value: Figure | None) -> str:
    if value is None:
        return NOTHING
    if value["low"] is None or value["high"] is None:
        return numbers.three_digits(value["median"])
    low, high = numbers.three_digits(value["low"]), numbers.three_digits(value["high"])
    return f"{numbers.three_digits(value['median'])} ({low}–{high})"


def _ratio(value: Figure) -> str:
    if value["low"] is None or value["high"] is None:
        return numbers.ratio(value["median"])
    low, high = numbers.ratio(value["low"]).removesuffix("×"), numbers.ratio(value["high"])
    return f"{numbers.ratio(value['median'])} ({low}–{high})"
