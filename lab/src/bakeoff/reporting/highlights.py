"""Who is best at what. Throughputs *tie* by the verdict's rule; other figures are *similar* where intervals overlap."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from bakeoff.reporting import numbers
from bakeoff.reporting.estimate_entries import overlap
from bakeoff.reporting.shape import CostFigures, Figure, Highlight, ReportedContender
from bakeoff.text.prose import listed

_MOST_NAMES = 3
Pick = Callable[[ReportedContender], Figure | None]


def highlights_of(contenders: Sequence[ReportedContender]) -> list[Highlight]:
    """Of contenders with one payload. Only what was ranked can be best; a question without an answer is left out."""
    ranked = [contender for contender in contenders if contender["rank"] is not None]
    if len(ranked) < 2:
        return []
    found = [
        _most(ranked, _Question("Highest throughput", "maximum", "/s", numbers.rate, max)),
        _best(ranked, _Question("Lowest p99", "at its optimal parallelism", " ms", numbers.three_digits, min), _p99),
        _best(
            ranked,
            _Question("Least CPU", "target, per operation, at its best load", " µs", numbers.three_digits, min),
            _cpu,
        ),
        _best(
            ranked,
            _Question("Least memory", "peak of the target, at its best load", " MB", numbers.megabytes, min),
            _memory,
        ),
    ]
    return [highlight for highlight in found if highlight is not None]


@dataclass(frozen=True)
class _Question:
    title: str
    note: str
    unit: str
    write: Callable[[float | None], str]
    choose: Callable[[float, float], float]


def _most(contenders: Sequence[ReportedContender], question: _Question) -> Highlight | None:
    """The judged ranking has the word here: it compares round by round, and knows the noise."""
    leaders = [contender for contender in contenders if contender["rank"] == 1]
    peaks = [peak for contender in leaders if (peak := contender["peak_throughput_per_s"]) is not None]
    if not peaks:
        return None
    best = max(peaks, key=lambda peak: peak["median"])
    return _highlight(question, [contender["name"] for contender in leaders], best, len(contenders), "tie")


def _best(contenders: Sequence[ReportedContender], question: _Question, pick: Pick) -> Highlight | None:
    """Who leads by the medians, and those whose intervals overlap the leader's."""
    figures = [(contender["name"], figure) for contender in contenders if (figure := pick(contender)) is not None]
    if not figures:
        return None
    median = reduce(question.choose, (figure["median"] for _, figure in figures))
    first, best = next((name, figure) for name, figure in figures if figure["median"] == median)
    tied = [name for name, figure in figures if figure is not best and _same(figure, best)]
    return _highlight(question, [first, *tied], best, len(contenders), "similar")


def _highlight(question: _Question, names: list[str], best: Figure, contenders: int, shared: str) -> Highlight:
    low, high = best["low"], best["high"]
    return {
        "title": question.title,
        "names": names,
        "who": f"All {len(names)}" if 2 < len(names) == contenders else _shortly(names),
        "value": f"{question.write(best['median'])}{question.unit}",
        "interval": None if low is None or high is None else f"{question.write(low)}–{question.write(high)}",
        "shared": shared if len(names) > 1 else None,
        "note": question.note,
    }


def _shortly(names: Sequence[str]) -> str:
    """A place for two or three names; of more the first stands for all."""
    return listed(names if len(names) <= _MOST_NAMES else [names[0], f"{len(names) - 1} others"])


def _same(one: Figure, other: Figure) -> bool:
    """Without intervals only equal figures are similar."""
    if one["low"] is None or other["low"] is None:
        return one["median"] == other["median"]
    return overlap(one, other)


def _p99(contender: ReportedContender) -> Figure | None:
    level = contender["at_optimum"]
    return None if level is None else level["latency_ms"].get("p99")


def _cpu(contender: ReportedContender) -> Figure | None:
    own = _own(contender)
    return None if own is None else own["cpu_us_each"]


def _memory(contender: ReportedContender) -> Figure | None:
    own = _own(contender)
    return None if own is None else own["memory_peak_mb"]


def _own(contender: ReportedContender) -> CostFigures | None:
    return None if contender["at_best"] is None else contender["at_best"]["costs"].get("target")
