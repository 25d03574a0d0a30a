"""Who is best at what. Throughputs *tie* by the verdict's rule; other figures are *similar* where intervals overlap."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bakeoff.judging.judgement import Estimate, JudgedContender, Judgement
from bakeoff.judging.verdict import Lead, lead_of
from bakeoff.reporting import numbers
from bakeoff.text.prose import listed

_MOST_NAMES = 3


@dataclass(frozen=True)
class Highlight:
    """Who is best at one thing; `shared` is how several names stand: tie or similar, `who` names them."""

    title: str
    names: Sequence[str]
    who: str
    value: str
    interval: str | None
    shared: str | None
    note: str


@dataclass(frozen=True)
class _Question:
    """`pick` finds the figure, the lower the better."""

    title: str
    note: str
    unit: str
    write: Callable[[float | None], str]
    pick: Callable[[JudgedContender], Estimate | None]


def highlights_of(judgement: Judgement, contenders: Sequence[JudgedContender]) -> list[Highlight]:
    """Of contenders with one payload. Only what was ranked can be best; a question without an answer is left out."""
    compared = [contender for contender in contenders if not contender.lost_in]
    if sum(contender.rank is not None for contender in compared) < 2:
        return []
    fastest = _fastest(lead_of(compared, judgement.pairings))
    found = [fastest, *(_lowest(compared, question) for question in _QUESTIONS)]
    return [highlight for highlight in found if highlight is not None]


def _fastest(lead: Lead) -> Highlight | None:
    """The judged pairs decide: they compare round by round, and know the noise."""
    peaks = [peak for contender in lead.first if (peak := contender.peak_throughput_per_s) is not None]
    if not peaks:
        return None
    best = max(peaks, key=lambda peak: peak.median)
    names, contenders = [contender.name for contender in lead.first], len(lead.compared)
    return _highlight(_THROUGHPUT, names, best, contenders, "tie")


def _lowest(contenders: Sequence[JudgedContender], question: _Question) -> Highlight | None:
    """The lowest median, and those whose intervals overlap its own; none where one without a rank is among them."""
    figures = [(each, figure) for each in contenders if (figure := question.pick(each)) is not None]
    if not figures:
        return None
    lowest, best = min(figures, key=lambda each: each[1].median)
    alike = [lowest, *(each for each, figure in figures if each is not lowest and figure.overlaps(best))]
    if any(each.rank is None for each in alike):
        return None
    return _highlight(question, [each.name for each in alike], best, len(contenders), "similar")


def _highlight(question: _Question, names: list[str], best: Estimate, contenders: int, shared: str) -> Highlight:
    low, high = best.low, best.high
    # A place for two or three names; of more the first stands for all.
    shown = names if len(names) <= _MOST_NAMES else [names[0], f"{len(names) - 1} others"]
    return Highlight(
        title=question.title,
        names=names,
        who=f"All {len(names)}" if 2 < len(names) == contenders else listed(shown),
        value=f"{question.write(best.median)}{question.unit}",
        interval=None if low is None or high is None else f"{question.write(low)}–{question.write(high)}",
        shared=shared if len(names) > 1 else None,
        note=question.note,
    )


def _p99(contender: JudgedContender) -> Estimate | None:
    level = contender.optimal_level
    return None if level is None else level.latency_ms.get("p99")


def _cost(figure: str) -> Callable[[JudgedContender], Estimate | None]:
    """A figure of the target's cost at its best load."""
    return lambda contender: None if contender.best_level is None else contender.best_level.of_target(figure)


_THROUGHPUT = _Question("Highest throughput", "maximum", "/s", numbers.rate, lambda each: each.peak_throughput_per_s)
_QUESTIONS = (
    _Question("Lowest p99", "at its optimal parallelism", " ms", numbers.three_digits, _p99),
    _Question(
        "Least CPU", "target, per operation, at its best load", " µs", numbers.three_digits, _cost("cpu_us_each")
    ),
    _Question(
        "Least memory", "peak of the target, at its best load", " MB", numbers.megabytes, _cost("memory_peak_mb")
    ),
)
