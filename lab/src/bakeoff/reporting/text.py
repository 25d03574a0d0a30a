"""The report as plain text: the same verdicts."""

from collections.abc import Iterator

from bakeoff.reporting.grouped_findings import groups_of
from bakeoff.reporting.report import Report
from bakeoff.reporting.tables import all_tables
from bakeoff.text.table import Table, text_of


def text_report(report: Report) -> str:
    """The whole file."""
    return text_of(*report_parts(report)) + "\n"


def report_parts(report: Report) -> Iterator[Table | str]:
    """Paragraphs and tables, in the order in which they are read."""
    judgement = report.judgement
    yield from (_line(judgement.verdict), _line(report.certainty))
    yield from (f"Missing: {_line(sentence)}" for sentence in report.missing)
    yield from all_tables(judgement, report.reasons)
    groups = groups_of(judgement)
    yield "Findings" if groups else "No findings."
    yield from (_line(f"{group.severity}: {group.words}") for group in groups)
    yield from (f"Not measured: {_line(reason)}" for reason in judgement.not_measured.values())
    yield f"To repeat it: {_line(judgement.command)}"


def _line(text: str) -> str:
    return " ".join(text.split())
