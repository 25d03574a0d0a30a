"""A gate as Markdown, made for a pull request. Pure functions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bakeoff.gating.check import Change, Check, Gate, Outcome
from bakeoff.gating.circumstances import Circumstances
from bakeoff.gating.sentence import FAILED, NEW, PASSED, sentence_of, severity, verdict_of, would_find
from bakeoff.reporting.markdown import plain
from bakeoff.reporting.numbers import plural, three_digits
from bakeoff.text.ratios import places_apart

# GitHub's limit is 65,536; the line that marks the comment takes some of it.
MOST_CHARACTERS = 65_000
_MOST_LINES = 20
_MOST_IN_A_CELL = 300
# A reason may end with the last lines of a log, and the last of them say the most.
_MOST_IN_A_REASON = 1_000
_SIGNS = {PASSED: "✅", FAILED: "❌", NEW: "ℹ️"}
_ORDER = {Outcome.FAILED: 0, Outcome.UNCLEAR: 1, Outcome.PASSED: 2}


@dataclass(frozen=True)
class Summary:
    """A decision with its heading. `reasons` say why a side is slower, `link` leads to the report."""

    gate: Gate
    circumstances: Circumstances
    title: str
    reasons: Sequence[str] = ()
    link: str | None = None


def markdown_of(summary: Summary, most: int = MOST_CHARACTERS) -> str:
    """The text; rows that exceed `most` characters are left out, the least important first, with their number."""
    gate = summary.gate
    several = len({_place(check) for check in gate.checks}) > 1
    rows = [_row(check, several=several) for check in _important_first(gate)]
    head, tail = list(_head(summary, several=several)), list(_tail(summary))
    room = most - _length([*head, *tail, _left_out(len(rows))])
    shown = 0
    while shown < len(rows) and (room := room - _length([rows[shown]])) >= 0:
        shown += 1
    left_out = [_left_out(len(rows) - shown)] if shown < len(rows) else []
    table = [*head, *rows[:shown], *left_out] if rows else head[:-2]
    return "\n".join([*table, *tail])


def short_markdown(title: str, sign: str, sentence: str, link: str | None) -> str:
    """The text where there is no decision: the gate was cancelled, or could not run."""
    return "\n".join([f"### {sign} {_text(title)}", "", _text(sentence, _MOST_IN_A_REASON), *_linked(link)])


def _head(summary: Summary, *, several: bool) -> Iterator[str]:
    yield f"### {_SIGNS.get(verdict_of(summary.gate), '⚠️')} {_text(summary.title)}"
    yield ""
    yield f"**{_text(sentence_of(summary.gate))}**"
    yield ""
    if summary.reasons:
        yield from (f"- {_text(reason)}" for reason in summary.reasons[:_MOST_LINES])
        yield ""
    yield f"| {'measured | ' * several}operation | figure | base | head | change (interval) | verdict |"
    yield f"|{'---|' * several}---|---|---:|---:|---:|---|"


def _important_first(gate: Gate) -> list[Check]:
    """What failed, what is unclear, and the rest; of phases what did not pass."""
    listed = [
        check
        for check in gate.checks
        if check.change is not None and (not check.series.phase or check.outcome is not Outcome.PASSED)
    ]
    return sorted(listed, key=lambda check: (_ORDER[check.outcome], not check.series.is_whole, -severity(check)))


def _row(check: Check, *, several: bool) -> str:
    assert check.change is not None
    change, series = check.change, check.series
    operation = " in ".join(part for part in (series.operation or "all", series.phase) if part)
    cells = [_place(check)] * several + [
        operation,
        f"{check.metric}, {change.unit}",
        three_digits(change.before),
        three_digits(change.after),
        _interval(change),
    ]
    return f"| {' | '.join(map(_text, cells))} | {_verdict(check, change)} |"


def _interval(change: Change) -> str:
    return f"{change.ratio - 1:+.1%} ({_bounds(change)})" if change.has_interval else f"{change.ratio - 1:+.1%}"


def _bounds(change: Change) -> str:
    apart_from = [0.0, *([] if change.limit is None else [change.limit - 1])]

    def written(bound: float) -> str:
        return f"{bound - 1:+.{places_apart(bound - 1, apart_from, 3) - 2}%}"

    if change.low is None and change.high is None:
        return "not bounded by so few rounds"
    if change.low is None or change.high is None:
        return f"{written(change.low)} or more" if change.low is not None else f"{written(change.high or 0.0)} or less"
    return f"{written(change.low)} to {written(change.high)}"


def _verdict(check: Check, change: Change) -> str:
    """In a word, as the interval shows it; a change that chance explains is none."""
    if check.outcome is Outcome.FAILED:
        is_shown = change.is_beyond_limit or not change.has_interval
        return "❌ **worse**" if is_shown else "❌ unclear, which is not allowed"
    if check.outcome is Outcome.UNCLEAR:
        why = "the machine was slower" if check.stale_baseline else "not confirmed by a rerun"
        return f"⚠️ unclear: {why}" if change.is_beyond_limit else "⚠️ unclear"
    if not change.differs:
        return "no difference shown"
    is_better = (change.ratio > 1) == change.more_is_better
    return "better" if is_better else "worse, not more than allowed"


def _place(check: Check) -> str:
    """The contender and the load of a check, without phase and operation."""
    series = check.series
    return " · ".join(part for part in (series.contender, series.payload, series.load) if part)


def _tail(summary: Summary) -> Iterator[str]:
    yield ""
    for sentence in (would_find(summary.gate), summary.circumstances.caution):
        yield from (sentence, "") if sentence else ()
    others = [
        f"{check.series.label}, {check.metric}: {check.words}"
        for check in summary.gate.checks
        if check.change is None and check.outcome is not Outcome.PASSED
    ]
    yield from _list([*others, *(f"not compared: {reason}" for reason in summary.gate.left_out)])
    facts = {**_how_compared(summary.gate), **summary.circumstances.facts}
    if facts:
        yield from ("<details><summary>Method and machine</summary>", "")
        yield from (f"- {_text(name)}: {_text(fact)}" for name, fact in facts.items())
        yield from ("", "</details>")
    yield from _linked(summary.link)


def _how_compared(gate: Gate) -> dict[str, str]:
    """The meaning of the table's columns, and what was allowed of each figure."""
    changes = [(check.metric, check.change) for check in gate.checks if check.change is not None]
    if not changes:
        return {}
    ratio = "the geometric mean of the rounds' ratios" if any(each.paired for _, each in changes) else "their ratio"
    allowed = {metric: f"{metric} {each.limit - 1:+.0%}" for metric, each in changes if each.limit is not None}
    interval = ", with the interval of its test" if any(each.has_interval for _, each in changes) else ""
    facts = {"Figures": f"base and head are medians over rounds; the change is {ratio}{interval}"}
    return {**facts, "Allowed": ", ".join(allowed.values())} if allowed else facts


def _list(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from (f"- {_text(line, _MOST_IN_A_REASON)}" for line in lines[:_MOST_LINES])
        if len(lines) > _MOST_LINES:
            yield f"- and {len(lines) - _MOST_LINES:,} more"
        yield ""


def _linked(link: str | None) -> list[str]:
    return [] if link is None else ["", f"[Report and results]({link})"]


def _left_out(rows: int) -> str:
    return f"\n{plural(rows, 'row')} more in the report."


def _text(text: str, most: int = _MOST_IN_A_CELL) -> str:
    """Text from outside that stays text, is short, and notifies no user. A long one keeps its beginning and its end."""
    head, tail = text[: _MOST_IN_A_CELL - 1], text[len(text) - most + _MOST_IN_A_CELL :]
    short = text if len(text) <= most else f"{head}…{tail}"
    return plain(short).replace("@", "@\u200b")


def _length(lines: Sequence[str]) -> int:
    """Characters as JavaScript counts them, with the ends of the lines."""
    return sum(len(line.encode("utf-16-le")) // 2 + 1 for line in lines)
