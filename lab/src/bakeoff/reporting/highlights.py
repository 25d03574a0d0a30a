"""Who is best at what: throughput at each one's maximum, latency and CPU where all do the same work."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bakeoff.judging.judgement import EqualLoad, EqualLoadEntry, Estimate, JudgedContender, Judgement
from bakeoff.judging.verdict import Lead, lead_of
from bakeoff.reporting import numbers
from bakeoff.text.prose import listed

_MOST_NAMES = 3


@dataclass(frozen=True)
class Highlight:
    """Who is best at one thing; `who` names them, and `shared` is `tie` where they are several."""

    title: str
    names: Sequence[str]
    who: str
    value: str
    interval: str | None
    shared: str | None
    note: str


@dataclass(frozen=True)
class _Question:
    """A figure of the equal load, the lower the better."""

    title: str
    ranked: str
    note: str
    unit: str
    pick: Callable[[EqualLoadEntry], Estimate | None]


def highlights_of(judgement: Judgement, contenders: Sequence[JudgedContender]) -> list[Highlight]:
    """Of contenders of one division. Only what was ranked can be best; a question without an answer is left out."""
    compared = [contender for contender in contenders if not contender.lost_in]
    if sum(contender.rank is not None for contender in compared) < 2:
        return []
    load = equal_load_of(judgement, compared)
    found = [_fastest(lead_of(compared, judgement.pairings))]
    found += [] if load is None else [_lowest(load, question) for question in _QUESTIONS]
    return [highlight for highlight in found if highlight is not None]


def equal_load_of(judgement: Judgement, contenders: Sequence[JudgedContender]) -> EqualLoad | None:
    """The highest rate that these contenders were all offered, where they were."""
    divisions = {contender.division for contender in contenders}
    return next((load for load in judgement.equal_loads if {load.division} == divisions), None)


def _fastest(lead: Lead) -> Highlight | None:
    """The judged pairs decide: they compare round by round, and know the noise. None where medians contradict them."""
    peaks = [peak for contender in lead.first if (peak := contender.peak_throughput_per_s) is not None]
    if not peaks or lead.above:
        return None
    best = max(peaks, key=lambda peak: peak.median)
    names = [contender.name for contender in lead.first]
    return _highlight("Highest throughput", "maximum", names, len(lead.compared), best, numbers.rate, "/s")


def _lowest(load: EqualLoad, question: _Question) -> Highlight | None:
    """The first by this figure and those that tie with it; none without another to compare, or where one without a
    rank may be before them.
    """
    ranked = [entry for entry in load.entries if question.ranked in entry.ranks]
    first = [entry for entry in ranked if entry.ranks[question.ranked] == 1]
    figures = [figure for entry in first if (figure := question.pick(entry)) is not None]
    if len(ranked) < 2 or not figures:
        return None
    hold = all(entry.holds for entry in load.entries)
    note = f"{question.note}at {load.rate_per_s:,.10g}/s for all{'' if hold else ' that hold it'}"
    best = min(figures, key=lambda figure: figure.median)
    names, write = [entry.label for entry in first], numbers.three_digits
    return _highlight(question.title, note, names, len(load.entries), best, write, question.unit)


def _highlight(
    title: str,
    note: str,
    names: list[str],
    contenders: int,
    best: Estimate,
    write: Callable[[float | None], str],
    unit: str,
) -> Highlight:
    low, high = best.low, best.high
    # A place for two or three names; of more the first stands for all.
    shown = names if len(names) <= _MOST_NAMES else [names[0], f"{len(names) - 1} others"]
    return Highlight(
        title=title,
        names=names,
        who=f"All {len(names)}" if 2 < len(names) == contenders else listed(shown),
        value=f"{write(best.median)}{unit}",
        interval=None if low is None or high is None else f"{write(low)}–{write(high)}",
        shared="tie" if len(names) > 1 else None,
        note=note,
    )


_QUESTIONS = (
    _Question("Lowest p99", "p99", "", " ms", lambda entry: entry.latency_ms.get("p99")),
    _Question("Least CPU", "cpu", "target, per operation, ", " µs", lambda entry: entry.cpu_us_each),
)
