"""Findings as people read them: each kind once, with all contenders that it concerns."""

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.reporting.merged_findings import ReportedFinding
from bakeoff.text.prose import listed


@dataclass(frozen=True)
class FindingGroup:
    """One kind of finding with one advice. `lines` say what was found, and of whom."""

    severity: str
    kind: str
    advice: str
    lines: Sequence[str]


def groups_of(findings: Sequence[ReportedFinding]) -> list[FindingGroup]:
    """In the order in which the kinds first appear."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for finding in findings:
        key = (finding.severity, finding.kind, finding.advice)
        grouped.setdefault(key, []).append(_line(finding))
    return [FindingGroup(severity, kind, advice, lines) for (severity, kind, advice), lines in grouped.items()]


def evidence(limit: str) -> str:
    """What a sentence about a bottleneck rests on, without its beginning, which names the bottleneck."""
    named, _, seen = limit.partition(": ")
    return seen or named


def _line(finding: ReportedFinding) -> str:
    of = f"{listed(finding.of)}: " if finding.of else ""
    rounds = finding.rounds
    if not rounds:
        return f"{of}{finding.message}"
    where = f"{'round' if len(rounds) == 1 else 'rounds'} {listed([str(each) for each in rounds])}"
    return f"{of}{finding.message.removesuffix('.')} ({where})."
