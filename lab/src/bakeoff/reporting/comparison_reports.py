"""The report that a comparison ends with, as Markdown and as a web page."""

from datetime import UTC
from pathlib import Path

from bakeoff.judging.judge import judge
from bakeoff.reporting.report import report_of
from bakeoff.reporting.report_files import DOCUMENTS, write_report
from bakeoff.storage.stored_runs import StoredComparison

_FORMS = ("markdown", "html")


def write_comparison_reports(folder: Path, stored: StoredComparison) -> list[Path]:
    """Writes `comparison-report-<time>.md` and `.html`, named by the comparison's begin in UTC, and returns them."""
    report = report_of(judge(stored), stored)
    stem = f"comparison-report-{stored.started_at.astimezone(UTC):%Y%m%d-%H%M%S}"
    return [path for form in _FORMS for path in write_report(report, form, folder / f"{stem}.{DOCUMENTS[form][0]}")]
