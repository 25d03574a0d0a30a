"""Curves along a factor in every format: steps, coefficients, and what they come to."""

import csv
import io
import json

import pytest

from bakeoff.judging.judge import judge
from bakeoff.reporting.chart import Chart
from bakeoff.reporting.html import html_report
from bakeoff.reporting.markdown import markdown_report
from bakeoff.reporting.pictures.svg import svg_of
from bakeoff.reporting.report import Report, report_of
from bakeoff.reporting.report_csv import csv_report
from bakeoff.reporting.report_files import DOCUMENTS
from bakeoff.reporting.scale_curves import conclusions, scale_tables
from bakeoff.reporting.text import text_report
from made_up import comparison_of, measured, phase, run_of

NOISE = (1.0, 1.01, 0.99)


def along(counts: tuple[int, ...], kappa: float = 0.01, most: float = 1e9) -> Report:
    """A comparison of a setting with these counts, which may gain nothing beyond a throughput."""
    runs = [
        run_of(
            "rust-rest",
            number=number,
            phases=[phase(1, 64, measured(noise * min(most, rate(count, kappa))))],
            contender=f"rust-rest pool_size={count}",
            factors={"pool_size": str(count)},
        )
        for count in counts
        for number, noise in enumerate(NOISE, start=1)
    ]
    stored = comparison_of(*runs, scale="pool_size")
    return report_of(judge(stored), stored)


def rate(count: int, kappa: float) -> float:
    return 1000 * count / (1 + 0.1 * (count - 1) + kappa * count * (count - 1))


@pytest.fixture(scope="module")
def data() -> Report:
    return along((1, 2, 4, 8, 16))


def test_steps_and_coefficients_stand_in_two_tables(data: Report) -> None:
    steps, laws = scale_tables(data.judgement.scale_curves)
    assert steps.title == "Scale along pool size"
    rows = [dict(zip(steps.headings, row, strict=True)) for row in steps.rows]
    assert [row["pool size"] for row in rows] == ["1", "2", "4", "8", "16"]
    assert (rows[0]["efficiency"], rows[4]["efficiency"]) == ("100%", "20%")
    assert rows[4]["operations/s"].startswith("3,265 (") and rows[4]["fitted"] == "3,265"
    assert rows[0]["limited by"] == "unknown"
    (row,) = [dict(zip(laws.headings, each, strict=True)) for each in laws.rows]
    assert row["contention σ"].startswith("0.1") and row["peak at"] == "9.49"
    assert "throughput is highest near 9.49, within what was measured." in laws.note


def test_a_peak_beyond_the_last_count_is_named_so() -> None:
    (sentence,) = conclusions(along((1, 2, 4, 8, 16), kappa=0.001).judgement.scale_curves)
    assert sentence.endswith("throughput is highest near 30, beyond what was measured.")


def test_a_curve_that_contradicts_the_law_shows_no_coefficients_as_its_conclusion() -> None:
    (sentence,) = conclusions(along((1, 2, 4, 8, 16, 32), kappa=0.0, most=2000).judgement.scale_curves)
    assert "does not describe these points" in sentence and "contention" not in sentence


def test_too_few_counts_say_so() -> None:
    data = along((1, 2, 4))
    steps, laws = scale_tables(data.judgement.scale_curves)
    assert [row[2] for row in steps.rows] == ["–"] * 3
    assert "no curve: the law needs 4 counts or more, and throughput is known at 1, 2, 4." in laws.note
    assert [each.name for each in chart(data, "scale").series] == ["Rust REST"]


def test_every_format_has_it(data: Report) -> None:
    page = html_report(data)
    assert '<h2 id="scale">' in page and '<a href="#scale">Scale</a>' in page and 'data-slot="scale-cost"' in page
    for text in (page, markdown_report(data), text_report(data)):
        assert "Scale along pool size" in text and "Universal Scalability Law" in text and "limited by" in text
    rows = [row for row in csv.DictReader(io.StringIO(csv_report(data))) if row["part"] == "scale"]
    figures = {(row["load"], row["figure"]): row for row in rows}
    assert float(figures["pool size", "contention"]["low"]) <= 0.1 <= float(figures["pool size", "contention"]["high"])
    assert float(figures["pool size 8", "fitted throughput"]["value"]) == pytest.approx(rate(8, 0.01), rel=0.01)
    assert float(figures["pool size 8", "target cpu_us_each"]["value"]) > 0
    assert json.loads(DOCUMENTS["json"][1](data))["judgement"]["scale_curves"][0]["fit"]["contention"][
        "value"
    ] == pytest.approx(0.1, rel=0.01)


def test_the_chart_has_points_and_a_curve_between_the_first_count_and_the_last(data: Report) -> None:
    points, curve = chart(data, "scale").series
    assert (points.drawn, curve.drawn) == ("points", "curve")
    assert [each[0] for each in points.points] == [1, 2, 4, 8, 16]
    assert (curve.points[0][0], curve.points[-1][0]) == (1, 16) and len(curve.points) > 40
    picture = svg_of(chart(data, "scale"))
    assert "Rust REST, fitted" in picture and "pool size" in picture
    assert {each.variant for each in data.charts if each.slot == "scale-cost"} == {
        "all parts", "target", "database",
    }  # fmt: skip


def test_a_comparison_without_a_scale_has_no_such_part(data: Report) -> None:
    stored = comparison_of(run_of())
    plain = report_of(judge(stored), stored)
    assert plain.judgement.scale_curves == []
    assert scale_tables(plain.judgement.scale_curves) == []
    assert 'id="scale"' not in html_report(plain)


def chart(data: Report, slot: str) -> Chart:
    return next(each for each in data.charts if each.slot == slot)
