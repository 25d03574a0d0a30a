"""The report as Markdown: the same verdicts, for a pull request or a wiki."""

import re
from collections.abc import Iterator, Sequence

from bakeoff.reporting import numbers
from bakeoff.reporting.grouped_findings import groups_of
from bakeoff.reporting.report import Report
from bakeoff.reporting.tables import all_tables
from bakeoff.text.table import Table

# Characters that Markdown or HTML would take for markup, or that would end a row.
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")


def markdown_report(report: Report) -> str:
    """The whole file."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Report) -> Iterator[str]:
    judgement, findings = report.judgement, groups_of(report.judgement)
    yield from (f"# {plain(judgement.verdict)}", "", plain(report.certainty), "")
    facts = [
        f"Workload {plain(judgement.workload)}",
        f"mode {plain(judgement.mode)}",
        f"{' and '.join(dict.fromkeys(each.target_class for each in judgement.contenders))} class",
        numbers.plural(judgement.rounds, "round"),
        numbers.moment(judgement.started_at),
    ]
    yield from (" · ".join(facts), "")
    if report.missing:
        yield from ("**Missing**", "", *(f"- {plain(sentence)}" for sentence in report.missing), "")
    for table in all_tables(judgement, report.reasons):
        yield from _table(table)
    yield from ("## Findings", "")
    yield from (f"- **{plain(each.severity)}** ({plain(each.kind)}) {plain(each.words)}" for each in findings)
    yield from ("", "") if findings else ("No findings.", "")
    if judgement.not_measured:
        yield from ("## Not measured", "")
        yield from (f"- **{plain(name)}**: {plain(reason)}" for name, reason in judgement.not_measured.items())
        yield ""
    yield from ("## Provenance", "", "To repeat it at the same commit:", "")
    yield from ("    " + judgement.command.replace("\n", " "), "")
    yield from (f"- {plain(name.replace('_', ' '))}: {plain(value)}" for name, value in judgement.provenance.items())


def plain(text: str) -> str:
    """Text from outside that stays text."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _table(table: Table) -> Iterator[str]:
    yield from (f"## {plain(table.title)}", "")
    if table.note:
        yield from (plain(table.note), "")
    yield _row(table.headings)
    yield f"|{''.join('---|' if table.is_words(place) else '---:|' for place in range(len(table.headings)))}"
    yield from (_row(row) for row in table.rows)
    yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(plain, cells))} |"
