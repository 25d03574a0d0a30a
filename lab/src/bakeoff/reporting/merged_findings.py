"""Findings of a comparison and of all its contenders: what holds of several stands once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bakeoff.judging.judgement import Contender, Judgement
from bakeoff.results.findings import SEVERITIES, JudgedFinding


@dataclass(frozen=True)
class ReportedFinding(JudgedFinding):
    """A finding, and the labels of the contenders that it concerns (none: the comparison as a whole)."""

    of: Sequence[str] = ()


def merged_findings(judgement: Judgement) -> list[ReportedFinding]:
    """Errors first."""
    merged: dict[tuple[str, str, str], ReportedFinding] = {}
    found = [(each, "") for each in judgement.findings]
    found += [
        (_briefly(each, contender), contender.label)
        for contender in judgement.contenders
        for each in contender.findings
    ]
    for each, of in found:
        known = merged.get((each.kind, each.message, each.advice))
        concerned = dict.fromkeys([*(known.of if known else ()), *([of] if of else ())])
        rounds = sorted({*(known.rounds if known else ()), *each.rounds})
        merged[each.kind, each.message, each.advice] = ReportedFinding(
            each.kind, known.severity if known else each.severity, each.message, each.advice, rounds, list(concerned)
        )
    return sorted(merged.values(), key=lambda each: -SEVERITIES.index(each.severity))


def _briefly(finding: JudgedFinding, contender: Contender) -> JudgedFinding:
    """What limited a contender stands in a table with its figures: here only the kind, once for all it holds of."""
    if finding.message != contender.bottleneck.words:
        return finding
    return replace(finding, message=f"limited by {contender.bottleneck.limited_by}; see the table of limits.")
