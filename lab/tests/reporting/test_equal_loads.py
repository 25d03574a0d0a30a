"""An equal load in every format: the same ranks and figures, beside the maximum."""

import csv
import io
import json

import pytest

from bakeoff.judging.judge import judge
from bakeoff.reporting.charts.loads import load_axis, load_axis_values
from bakeoff.reporting.equal_loads import equal_load_tables, not_held_lines
from bakeoff.reporting.html import html_report
from bakeoff.reporting.markdown import markdown_report
from bakeoff.reporting.report import Report, report_of
from bakeoff.reporting.report_csv import csv_report
from bakeoff.reporting.report_files import DOCUMENTS
from bakeoff.reporting.text import text_report
from made_up_equal_load import NOISE, Made, equal_comparison


@pytest.fixture(scope="module")
def data() -> Report:
    stored = equal_comparison(
        Made("rust-rest", latency_ms=[2 * each for each in NOISE], maximum=2000),
        Made("go-rest", cpu_percent=[60 * each for each in NOISE], maximum=4000),
        Made("java-rest", changes={"unsent": 500}),
    )
    return report_of(judge(stored), stored)


def test_ranks_figures_and_the_maximum_stand_in_one_table(data: Report) -> None:
    full, half, pairs = equal_load_tables(data.judgement)
    assert (full.title, half.title) == ("At an equal load of 1,000/s", "At an equal load of 500/s")
    rows = [dict(zip(full.headings, row, strict=True)) for row in full.rows]
    assert [(row["target"], row["rank by p99"], row["by CPU"]) for row in rows] == [
        ("Go REST", "1", "2"), ("Rust REST", "2", "1"), ("Java REST (does not hold it)", "–", "–"),
    ]  # fmt: skip
    assert (rows[0]["maximum"], rows[0]["rate ÷ maximum"]) == ("4,000", "25%")
    assert rows[0]["CPU"].startswith("600 (") and rows[1]["CPU"].startswith("300 (")
    assert "Java REST has no rank at 1,000/s: does not hold 1,000/s: " in full.note
    # Only those that hold it are compared, by each figure: one pair at the rate, and three at half of it.
    assert len(pairs.rows) == 2 * (1 + 3)
    assert {row[-1] for row in pairs.rows} == {"lower", "higher", "tie"}


@pytest.mark.parametrize(("most", "tables"), [(8, 3), (7, 2)])
def test_a_terminal_leaves_out_many_pairs(data: Report, most: int, tables: int) -> None:
    assert len(equal_load_tables(data.judgement, most)) == tables


def test_who_has_no_rank_is_named(data: Report) -> None:
    (line,) = not_held_lines(data.judgement.equal_loads)
    assert line.startswith("Java REST has no rank at 1,000/s: does not hold 1,000/s: 4.76% of its requests failed")


def test_every_format_has_it(data: Report) -> None:
    page = html_report(data)
    assert '<h2 id="equal-load">' in page and '<a href="#equal-load">Equal load</a>' in page
    for text in (page, markdown_report(data), text_report(data)):
        assert "At an equal load of 1,000/s" in text and "Pairs at an equal load" in text
    rows = [row for row in csv.DictReader(io.StringIO(csv_report(data))) if row["part"].startswith("equal load")]
    figures = {(row["of"], row["load"], row["figure"]): row["value"] for row in rows}
    assert (figures["Go REST", "1,000/s", "rank by p99"], figures["Java REST", "1,000/s", "holds"]) == ("1", "0")
    for name in ("p50", "p99", "p99.9", "cpu_us_each", "throughput"):
        assert float(figures["Rust REST", "500/s", name]) > 0
    assert float(figures["Go REST", "1,000/s", "cpu against Rust REST"]) == pytest.approx(2.0, rel=0.05)
    document = json.loads(DOCUMENTS["json"][1](data))
    assert [load["rate_per_s"] for load in document["judgement"]["equal_loads"]] == [1000, 500]


def test_rates_and_users_share_no_axis(data: Report) -> None:
    assert load_axis_values(data.judgement.contenders) == [64]
    assert load_axis(data.judgement.contenders).label == "virtual users"
    assert [entry.best_level and entry.best_level.load for entry in data.judgement.contenders] == ["64 users"] * 3


def test_a_comparison_without_rates_has_no_such_part() -> None:
    stored = equal_comparison()
    assert equal_load_tables(judge(stored)) == []
