"""The report for a terminal: the same verdicts."""

import io

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Laid
from rich.text import Text

from bakeoff.reporting.grouped_findings import FindingGroup, groups_of
from bakeoff.reporting.merged_findings import merged_findings
from bakeoff.reporting.report import Report
from bakeoff.reporting.tables import all_tables
from bakeoff.reporting.text_table import Table

_WIDTH = 100
_MARGIN = (0, 0, 0, 2)


def text_report(report: Report, width: int = _WIDTH) -> str:
    """Plain text of at most `width` columns where names allow it."""
    console = Console(width=width, record=True, file=io.StringIO(), color_system=None)
    console.print(rendered(report))
    return "\n".join(line.rstrip() for line in console.export_text().splitlines()).strip() + "\n"


def rendered(report: Report) -> Group:
    """For a console."""
    judgement = report.judgement
    findings = merged_findings(judgement)
    parts: list[RenderableType] = [Text(_clean(judgement.verdict), style="bold"), Text(_clean(report.certainty))]
    parts += [Text(f"Missing: {_clean(sentence)}", style="yellow") for sentence in report.missing]
    for table in all_tables(judgement):
        parts += [Text(), laid(table), *([Text(table.note, style="dim")] if table.note else [])]
    parts += [Text(), Text("Findings", style="bold")]
    parts += [Padding(_finding(group), _MARGIN) for group in groups_of(findings)]
    parts += [] if findings else [Padding("No findings.", _MARGIN)]
    parts += [Text(f"Not measured: {_clean(reason)}") for reason in judgement.not_measured.values()]
    parts += [Text(), Text(f"To repeat it: {_clean(judgement.command)}")]
    return Group(*parts)


def laid(table: Table) -> Laid:
    """A table as a console prints it."""
    columns = Laid(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        title=table.title,
        title_justify="left",
        title_style="bold",
    )
    for place, heading in enumerate(table.headings):
        # Words may take a second line; a figure that is cut in two is none.
        words = table.is_words(place)
        columns.add_column(heading, justify="left" if words else "right", no_wrap=not words)
    for row in table.rows:
        columns.add_row(*(Text(_clean(cell)) for cell in row))
    return columns


def _finding(group: FindingGroup) -> Text:
    return Text(_clean(f"{group.severity}: {' '.join([*group.lines, group.advice])}"))


def _clean(text: str) -> str:
    """Text from outside without what would steer a terminal."""
    return "".join(character if character.isprintable() else "\ufffd" for character in " ".join(text.split()))
