"""Findings as people read them: each kind and advice once, with all contenders that it concerns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.judging.judgement import Judgement
from bakeoff.results.findings import SEVERITIES, JudgedFinding, Severity
from bakeoff.text.prose import listed, rounds_in_words

_NAMES_ROUNDS = re.compile(r"\brounds? \d")


@dataclass(frozen=True)
class FindingGroup:
    """One kind of finding with one advice. Each line is a message, after the contenders that it concerns."""

    severity: Severity
    kind: str
    advice: str
    lines: Sequence[str]

    @property
    def words(self) -> str:
        return " ".join([*self.lines, self.advice])


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
    lines: dict[tuple[Severity, str, str], list[str]] = {}
    for (severity, kind, advice, message), labels in concerned.items():
        lines.setdefault((severity, kind, advice), []).append(f"{listed(labels)}: {message}" if labels else message)
    groups = [FindingGroup(*key, each) for key, each in lines.items()]
    return sorted(groups, key=lambda group: -SEVERITIES.index(group.severity))


def evidence(limit: str) -> str:
    """A sentence about a bottleneck without its beginning, which names the bottleneck."""
    named, _, seen = limit.partition(": ")
    return seen or named


def _in_rounds(finding: JudgedFinding) -> str:
    return f" ({rounds_in_words(finding.rounds)})" if finding.rounds else ""
