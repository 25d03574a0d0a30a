"""Writes a report in one format, to one file or a folder of pictures, and those that a comparison ends with."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from pathlib import Path

from bakeoff.documents.whole_file import write_whole
from bakeoff.errors import BakeoffError
from bakeoff.judging.judge import judge
from bakeoff.reporting.html import html_report
from bakeoff.reporting.json_document import json_report
from bakeoff.reporting.markdown import markdown_report
from bakeoff.reporting.pictures.png import png_of
from bakeoff.reporting.pictures.svg import svg_of
from bakeoff.reporting.reasons import NO_REASONS, Reasons
from bakeoff.reporting.report import Report, report_of
from bakeoff.reporting.report_csv import csv_report
from bakeoff.reporting.text import text_report
from bakeoff.storage.stored_runs import StoredComparison

DOCUMENTS: Mapping[str, tuple[str, Callable[[Report], str]]] = {
    "html": ("html", html_report),
    "markdown": ("md", markdown_report),
    "json": ("json", json_report),
    "csv": ("csv", csv_report),
    "text": ("txt", text_report),
}
PICTURES: Mapping[str, Callable[[str], bytes]] = {"svg": str.encode, "png": png_of}
FORMATS = (*DOCUMENTS, *PICTURES)


def default_path(folder: Path, report: Report, form: str, where: Sequence[str] = ()) -> Path:
    """`comparison-12.html`, or the folder `comparison-12` for pictures; of some targets `comparison-12-language-go`."""
    parts = [re.sub(r"[^a-z0-9]+", "-", each.lower()).strip("-") for each in where]
    stem = "-".join(["comparison", str(report.judgement.comparison_id or "unnamed"), *parts])
    return folder / (f"{stem}.{DOCUMENTS[form][0]}" if form in DOCUMENTS else stem)


def write_report(report: Report, form: str, path: Path) -> list[Path]:
    """Writes and names the files. A file appears whole or not at all."""
    try:
        if form in DOCUMENTS:
            return [write_whole(path, DOCUMENTS[form][1](report).encode())]
        return [write_whole(path / f"{chart.id}.{form}", PICTURES[form](svg_of(chart))) for chart in report.charts]
    except (FileExistsError, FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        raise BakeoffError(f"{path} cannot be written: {error.strerror}. Choose another --output.") from error


def write_comparison_reports(folder: Path, stored: StoredComparison, reasons: Reasons = NO_REASONS) -> list[Path]:
    """Writes `comparison-report-<time>.md` and `.html`, named by the comparison's begin in UTC, and returns them."""
    report = report_of(judge(stored), stored, reasons)
    stem = f"comparison-report-{stored.started_at.astimezone(UTC):%Y%m%d-%H%M%S}"
    forms = ("markdown", "html")
    return [path for form in forms for path in write_report(report, form, folder / f"{stem}.{DOCUMENTS[form][0]}")]
