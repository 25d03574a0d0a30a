"""A percentile that too few samples lie beyond is a dash in every document, with the reason."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.judging.judge import judge
from bakeoff.reporting.html import html_report
from bakeoff.reporting.markdown import markdown_report
from bakeoff.reporting.report import report_of
from bakeoff.reporting.report_csv import csv_report
from bakeoff.reporting.text import text_report
from bakeoff.reporting.verdict_text import judgement_table
from bakeoff.results.histograms import WHY_UNKNOWN
from bakeoff.results.run import RunResult
from bakeoff.text.table import lines_of
from made_up import comparison_of, histogram_of, measured, phase, run_of


def rounds_of_requests(*counts: int) -> list[RunResult]:
    parts = [measured(count / 10, histogram=histogram_of(7.0, times=count)) for count in counts]
    return [run_of("rust-rest", number=at, phases=[phase(1, 10, part)]) for at, part in enumerate(parts, 1)]


@given(st.lists(st.integers(50, 3000), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_the_samples_of_all_rounds_count(counts: list[int]) -> None:
    stored = comparison_of(*rounds_of_requests(*counts))
    judgement = judge(stored)
    (level,) = judgement.contenders[0].levels
    assert ("p99" in level.latency_ms) == (sum(counts) >= 2000)
    assert "p99.9" not in level.latency_ms
    table = judgement_table(judgement)
    row = dict(zip(table.headings, table.rows[0], strict=True))
    assert row["p99"] == ("7.00" if sum(counts) >= 2000 else "–")
    assert (WHY_UNKNOWN in " ".join(" ".join(lines_of(table)).split())) == (row["p99"] == "–")


def test_every_document_has_the_dash_and_the_reason() -> None:
    stored = comparison_of(*rounds_of_requests(300, 300, 300))
    report = report_of(judge(stored), stored)
    assert not re.search(r"latency p99\b", csv_report(report))
    for document in (html_report(report), markdown_report(report), text_report(report)):
        assert WHY_UNKNOWN in " ".join(document.split())
