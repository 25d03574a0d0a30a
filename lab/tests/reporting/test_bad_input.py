"""Whatever a comparison lacks, the report says so and still renders, in every format."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from benchmark import LARGE

from bakeoff.judging.judgement import Judgement
from bakeoff.reporting.pictures.svg import svg_of
from bakeoff.reporting.report import report_of
from bakeoff.reporting.report_files import DOCUMENTS, write_report
from bakeoff.results.run import Status
from bakeoff.storage.stored_runs import StoredComparison
from hostile import hostile_comparison
from judgements import Shape, comparison, level, with_first, with_status, without_timeline

Case = tuple[Judgement, StoredComparison]


def nothing_measured() -> Case:
    judgement, stored = comparison()
    return replace(judgement, contenders=[], pairings=[], effects=[], verdict="Nothing was measured."), replace(
        stored, runs=[]
    )


def one_contender() -> Case:
    return comparison(Shape(targets=("go-rest",)))


def one_round() -> Case:
    return comparison(Shape(rounds=1))


def all_void() -> Case:
    judgement, stored = comparison()
    judgement = with_first(judgement, rank=None, tied_with=[], rounds=0, void_rounds=3, levels=[], total=None)
    judgement = with_first(judgement, peak_throughput_per_s=None, optimal_users=None, breaking_users=None)
    return with_status(judgement, 0, Status.VOID, "one acknowledged write is not there"), stored


def missing_phase() -> Case:
    judgement, stored = comparison()
    return with_first(judgement, levels=judgement.contenders[0].levels[:1]), stored


def zero_requests() -> Case:
    judgement, stored = comparison()
    idle = [level(users, 0.0, requests=0) for users in (10, 50, 200)]
    return with_first(judgement, levels=idle, total=replace(idle[0], name="all")), stored


def failed_run() -> Case:
    judgement, stored = comparison()
    return with_status(replace(judgement, status="interrupted"), 1, Status.FAILED, "the target ended"), stored


def older_version() -> Case:
    judgement, stored = comparison()
    without_costs = [replace(each, costs={}) for each in judgement.contenders[0].levels]
    judgement = with_first(judgement, levels=without_costs, environment={}, settings={}, start_to_healthy_s=None)
    return replace(judgement, reference_lines=[], provenance={}), without_timeline(stored)


def open_model() -> Case:
    judgement, stored = comparison()
    closed = judgement.contenders[0].levels
    levels = [replace(each, virtual_users=0, arrival_rate_per_s=1000.0 * each.virtual_users) for each in closed]
    return with_first(judgement, levels=levels, optimal_users=None), stored


def no_calibration() -> Case:
    judgement, stored = comparison()
    contenders = [replace(each, ceiling_share=None, reference_shares={}) for each in judgement.contenders]
    runs = [replace(run, result=replace(run.result, ceilings={})) for run in stored.runs]
    return replace(judgement, contenders=contenders, reference_lines=[]), replace(stored, runs=runs)


def thousands_of_phases() -> Case:
    return comparison(Shape(targets=("rust-rest", "go-rest"), users=tuple(range(1, 3_001)), rounds=1, seconds=1))


SAID = {
    nothing_measured: "Nothing was measured",
    one_contender: "Only one contender was measured",
    one_round: "Only 1 round:",
    all_void: "Void rounds, which are not used: Rust REST (3 of 3).",
    missing_phase: "Missing phases: Rust REST lacks 200 users and 50 users.",
    zero_requests: "No valid run of Rust REST.",
    failed_run: "The comparison is interrupted",
    older_version: "have no per-second figures",
    no_calibration: "This machine is not calibrated",
}


@pytest.mark.parametrize("case", SAID, ids=lambda case: case.__name__)
def test_what_is_missing_is_said(case) -> None:  # type: ignore[no-untyped-def]
    assert SAID[case] in " ".join(report_of(*case()).missing)


def test_nothing_is_missing_of_a_whole_comparison() -> None:
    assert report_of(*comparison()).missing == []


@pytest.mark.parametrize("case", [*SAID, open_model, hostile_comparison], ids=lambda case: case.__name__)
@pytest.mark.parametrize("form", DOCUMENTS)
def test_every_document_renders(form, case) -> None:  # type: ignore[no-untyped-def]
    data = report_of(*case())
    text = DOCUMENTS[form][1](data)
    assert "Rust" in text or case in (nothing_measured, one_contender)
    assert not re.search(r"[>,|] *None *[<,|]", text)


@pytest.mark.parametrize("case", [*SAID, open_model, hostile_comparison], ids=lambda case: case.__name__)
def test_every_picture_renders(case) -> None:  # type: ignore[no-untyped-def]
    for chart in report_of(*case()).charts:
        assert svg_of(chart).endswith("</svg>\n")


def test_a_failed_run_is_named() -> None:
    missing = report_of(*failed_run()).missing
    assert "1 run failed: Rust gRPC." in missing


def test_an_open_model_is_drawn_against_its_arrivals() -> None:
    charts = [chart for chart in report_of(*open_model()).charts if chart.slot == "throughput"]
    assert charts[0].x.label == "arrivals/s"


def test_thousands_of_phases_are_cut_for_people_and_kept_for_machines(tmp_path: Path) -> None:
    data = report_of(*thousands_of_phases())
    page, csv = DOCUMENTS["html"][1](data), DOCUMENTS["csv"][1](data)
    assert "2,940 more phases" in page
    assert len(page.encode()) < 3_000_000
    assert csv.count(",throughput,/s,") > 2 * 3_000
    assert len(write_report(data, "svg", tmp_path)) == len(data.charts)


def test_a_large_report_stays_below_three_megabytes() -> None:
    assert len(DOCUMENTS["html"][1](report_of(*comparison(LARGE))).encode()) < 3_000_000


def test_certainty_counts_the_rounds_that_were_made() -> None:
    judgement, stored = comparison(Shape(rounds=5))
    some = report_of(with_first(judgement, rounds=3), stored).certainty
    assert some.startswith("Medians over 3 to 5 rounds, each with its 75% to 93% interval (order statistics)")
    even = report_of(with_first(judgement, rounds=4), stored).certainty
    assert even.startswith(
        "Medians over 4 to 5 rounds, of latency the lower of the middle two, each with its 87% to 93% interval"
    )
    one = report_of(with_first(judgement, rounds=1), stored).certainty
    assert one.startswith("Medians over 1 to 5 rounds, each with its 93% interval (order statistics). Fewer than 3 ")
    alone, runs = comparison(Shape(rounds=2))
    assert report_of(alone, runs).certainty.startswith("2 rounds, so there are no intervals")
