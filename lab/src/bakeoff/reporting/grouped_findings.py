"""Findings as people read them: each kind and advice once, with all contenders that it concerns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bakeoff.judging.judgement import Judgement
from bakeoff.results.findings import SEVERITIES, JudgedFinding, Severity
from bakeoff.text.prose import apart, listed, rounds_in_words, words_of

# So many sentences that differ in figures alone are a sentence and a table.
_TABLE_FROM = 3
_NAMES_ROUNDS = re.compile(r"\brounds? \d")


@dataclass(frozen=True)
class FindingLine:
    """A message, after the contenders that it concerns; or one with … for figures, and these in a row for each."""

    message: str
    rows: Sequence[tuple[str, str]] = ()

    @property
    def words(self) -> str:
        rows = "; ".join(f"{who}: {figures}" for who, figures in self.rows)
        return f"{self.message} {rows}." if rows else self.message


@dataclass(frozen=True)
class FindingGroup:
    """One kind of finding with one advice."""

    severity: Severity
    kind: str
    advice: str
    lines: Sequence[FindingLine]

    @property
    def words(self) -> str:
        return " ".join([*(line.words for line in self.lines), self.advice])


def groups_of(judgement: Judgement, *, brief: bool = True) -> list[FindingGroup]:
    """Errors first. `brief`: a bottleneck is only named, where a table describes it."""
    concerned: dict[tuple[Severity, str, str, str], list[str]] = {}
    for each in judgement.findings:
        # Most name them themselves.
        named = not each.rounds or _NAMES_ROUNDS.search(each.message)
        message = each.message if named else each.message.removesuffix(".") + f"{_in_rounds(each)}."
        concerned[each.severity, each.kind, each.advice, message] = []
    for contender in judgement.contenders:
        made = {run.round for run in contender.runs}
        for each in contender.findings:
            message = each.message
            if brief and message == contender.bottleneck.words:
                message = f"limited by {contender.bottleneck.limited_by}; see the table of limits."
            which = _in_rounds(each) if not made.issubset(each.rounds) else ""
            concerned.setdefault((each.severity, each.kind, each.advice, message), []).append(contender.label + which)
    messages: dict[tuple[Severity, str, str], list[tuple[str, str]]] = {}
    for (severity, kind, advice, message), labels in concerned.items():
        messages.setdefault((severity, kind, advice), []).append((listed(labels), message))
    groups = [FindingGroup(*key, list(_lines(each))) for key, each in messages.items()]
    return sorted(groups, key=lambda group: -SEVERITIES.index(group.severity))


def _lines(messages: Sequence[tuple[str, str]]) -> Iterator[FindingLine]:
    alike: dict[str, list[tuple[str, str]]] = {}
    for who, message in messages:
        alike.setdefault(words_of(message) if who else message, []).append((who, message))
    for each in alike.values():
        if len(each) < _TABLE_FROM:
            yield from (FindingLine(f"{who}: {message}" if who else message) for who, message in each)
        else:
            template, figures = apart([message for _, message in each])
            yield FindingLine(template, list(zip((who for who, _ in each), figures, strict=True)))


def evidence(limit: str) -> str:
    """A sentence about a bottleneck without its beginning, which names the bottleneck."""
    named, _, seen = limit.partition(": ")
    return seen or named


def _in_rounds(finding: JudgedFinding) -> str:
    return f" ({rounds_in_words(finding.rounds)})" if finding.rounds else ""
