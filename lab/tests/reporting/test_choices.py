"""Recommendations, rankings of each protocol, durations, and what saturation brings."""

from pathlib import Path

from bakeoff.judging.judge import judge
from bakeoff.reporting.choices import by_latency, by_payload, by_protocol, durations, recommendations, scaling
from bakeoff.reporting.html import html_report
from bakeoff.reporting.report import report_of
from bakeoff.reporting.report_files import write_comparison_reports
from bakeoff.results.run import Status
from judgements import Shape, comparison, with_status
from made_up import comparison_of, measured, phase, run_of
from made_up_equal_load import NOISE, Made, equal_comparison

DATA = report_of(*comparison())
ENTRIES = DATA.judgement.contenders


def test_each_need_has_a_contender_and_its_figures() -> None:
    rows = {need: (who, figures) for need, who, figures in recommendations(DATA.judgement, ENTRIES).rows}

    assert rows["highest throughput"][0] == "Rust REST and Rust gRPC (tie)"
    assert rows["highest throughput"][1].startswith("42,418/s")
    assert "small team" in rows
    assert rows["existing Go ecosystem"] == ("Go REST", "33,934 operations/s")


def test_of_a_single_contender_nothing_is_recommended() -> None:
    assert recommendations(DATA.judgement, ENTRIES[:1]).rows == []


def test_each_protocol_is_ranked_for_itself() -> None:
    rows = [(protocol, place, name) for protocol, place, name, _ in by_protocol(DATA.judgement, ENTRIES).rows]

    assert rows == [("REST", "1", "Rust REST"), ("REST", "2", "Go REST"), ("gRPC", "1", "Rust gRPC")]
    assert by_protocol(DATA.judgement, [entry for entry in ENTRIES if entry.protocol == "rest"]).rows == []


def test_latency_and_cpu_are_recommended_where_all_do_the_same_work() -> None:
    slower = [2 * each for each in NOISE]
    dear = Made("go-rest", slower, [60 * each for each in NOISE])
    stored = equal_comparison(Made("rust-rest"), Made("rust-grpc"), dear)
    judgement = judge(stored)
    rows = {need: (who, figures) for need, who, figures in recommendations(judgement, judgement.contenders).rows}

    assert rows["lowest p99"][0] == rows["least CPU"][0] == "Rust gRPC and Rust REST (tie)"
    assert rows["lowest p99"][1].endswith("at 1,000/s for all")
    latencies = by_latency(judgement, judgement.contenders).rows
    assert [row[:2] for row in latencies] == [("1–2", "Rust gRPC"), ("1–2", "Rust REST"), ("3", "Go REST")]


def test_the_only_one_that_holds_a_rate_is_no_best_of_it() -> None:
    weak = [Made(name, changes={"throughput_per_s": 600.0}) for name in ("rust-grpc", "go-rest")]
    judgement = judge(equal_comparison(Made("rust-rest"), *weak))
    needs = {row[0] for row in recommendations(judgement, judgement.contenders).rows}
    assert needs.isdisjoint({"lowest p99", "least CPU"}) and not by_latency(judgement, judgement.contenders).rows
    judgement = judge(equal_comparison(Made("rust-rest"), Made("java-rest", [2 * each for each in NOISE]), *weak))
    rows = {need: figures for need, _, figures in recommendations(judgement, judgement.contenders).rows}
    assert rows["lowest p99"].endswith(", at 1,000/s for all that hold it")


def test_latency_at_each_ones_own_maximum_is_not_compared() -> None:
    assert by_latency(DATA.judgement, ENTRIES).rows == []
    needs = {row[0] for row in recommendations(DATA.judgement, ENTRIES).rows}
    assert needs.isdisjoint({"lowest p99", "least CPU", "least memory"})


def test_runs_that_ended_early_are_named() -> None:
    entries = with_status(comparison()[0], 0, Status.FAILED, "the target died").contenders

    rows = {row[0]: row[3] for row in durations(entries).rows}

    assert [early for early in rows.values() if early != "–"] == ["round 1: the target died"]


def test_saturation_is_compared_with_the_highest_load_of_full() -> None:
    loads = [(100, 900.0), (200, 1000.0), (500, 2500.0), (2000, 4000.0)]
    phases = [phase(number, users, measured(rate, 2.0)) for number, (users, rate) in enumerate(loads, start=1)]
    stored = comparison_of(run_of(phases=phases))
    ((_, full, saturated, factor),) = scaling(report_of(judge(stored), stored).judgement.contenders).rows

    assert (full, saturated, factor) == ("1,000 at 200 users", "4,000 at 2,000 users", "4.00×")
    assert scaling(ENTRIES).rows == []


def test_throughput_stands_by_payload_where_there_are_several() -> None:
    data = report_of(*comparison(Shape(payloads=("default", "8k"))))

    table = by_payload(data.judgement.contenders)

    assert table.headings == ("target", "default", "8k")
    assert [row[0] for row in table.rows] == ["Rust REST", "Rust gRPC", "Go REST"]
    assert all(cell != "–" for row in table.rows for cell in row)
    assert "Throughput by payload" in html_report(data)
    assert by_payload(ENTRIES).rows == []


def test_the_page_has_the_tables_too() -> None:
    page = html_report(DATA)

    for words in ('id="recommendations"', "existing Go ecosystem", "Ranking of each protocol", "ended early"):
        assert words in page


def test_a_comparison_ends_with_its_report(tmp_path: Path) -> None:
    _, stored = comparison(Shape())

    written = write_comparison_reports(tmp_path, stored)

    stem = f"comparison-report-{stored.started_at:%Y%m%d-%H%M%S}"
    assert [path.name for path in written] == [f"{stem}.md", f"{stem}.html"]
    assert all(path.stat().st_size > 1000 for path in written)
