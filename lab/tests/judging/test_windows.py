"""Which windows carry a rank: short and unsteady ones only indicate."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.windows import Windows, windows_of
from bakeoff.reporting.charts.standings import ranking_chart
from bakeoff.results.run import RunResult, Second
from bakeoff.results.warm_up_record import ColdStart, WarmUp
from made_up import comparison_of, measured, phase, run_of, seconds_of
from simulated_machines import seconds_of_a_window

FLAT = [1000, 990, 1010, 995, 1005, 1000, 990, 1010, 1000, 1000]
RISING = [1000 + 60 * second for second in range(11)]
FALLING = RISING[::-1]
RATES = {"rust-rest": 1000.0, "go-rest": 2000.0}
STALLED = [1000, 990, 1010, 100, 1005, 1000, 990, 1010, 1000, 1000]


def run(seconds: float, timeline: Sequence[Second] = (), target: str = "rust-rest", number: int = 1) -> RunResult:
    part = measured(1000.0, duration_s=seconds + 2, window_s=seconds)
    return run_of(target, number=number, phases=[phase(1, 10, part)], timeline=timeline)


def windows(*runs: RunResult) -> Windows:
    counted = dict(enumerate(runs, start=1))
    return windows_of(counted, dict.fromkeys(counted, 1))


@pytest.mark.parametrize(
    ("runs", "reasons", "biased"),
    [
        ([run(10)], 0, []),
        # The last reply of a short window came late, which makes it no longer.
        ([run(9.9)], 1, []),
        ([run(10, seconds_of(FLAT))], 0, []),
        ([run(10, seconds_of(RISING))], 1, [1]),
        # A stall is noise: it costs the throughput that it costs.
        ([run(10, seconds_of(STALLED))], 0, []),
        ([run(5, seconds_of(RISING))], 2, [1]),
        # Another phase was unsteady, not the one that would rank.
        ([run(10, seconds_of(RISING, 2))], 0, []),
        # A round with a trend is left out; three others are enough.
        ([*[run(10, seconds_of(FLAT))] * 4, run(10, seconds_of(RISING))], 0, [5]),
        ([*[run(10, seconds_of(FLAT))] * 3, *[run(10, seconds_of(FALLING))] * 2], 0, [4, 5]),
        ([*[run(10, seconds_of(FLAT))] * 2, run(10, seconds_of(RISING))], 1, [3]),
        # It rises in every round.
        ([run(10, seconds_of(RISING))] * 5, 1, [1, 2, 3, 4, 5]),
        # A low rate varies by chance alone.
        ([run(10, seconds_of([30, 50, 20, 60, 40, 35, 55, 45, 50, 30]))], 0, []),
        ([], 0, []),
    ],
)
def test_short_windows_and_trends_have_no_rank(runs: Sequence[RunResult], reasons: int, biased: Sequence[int]) -> None:
    found = windows(*runs)
    assert (len(found.unranked), sorted(found.biased)) == (reasons, biased)


@pytest.mark.parametrize(
    ("warm_up", "reasons"),
    [
        (WarmUp(duration_s=74.9, stated_s=75), []),
        (WarmUp(duration_s=45, cold_start=ColdStart(30), stated_s=75), []),
        (WarmUp(duration_s=15), []),
        (WarmUp(duration_s=15, stated_s=75), ["was warmed up for 15 s of the 75 s that it states"]),
        # --warm-up 0
        (WarmUp(stated_s=75), ["was warmed up for 0 s of the 75 s that it states"]),
        (None, []),
    ],
)
def test_a_target_that_was_not_warmed_up_as_it_states_has_no_rank(warm_up: WarmUp | None, reasons: list[str]) -> None:
    warm = replace(run(10, seconds_of(FLAT)), warm_up=WarmUp(duration_s=75, stated_s=75))
    assert windows(warm, replace(warm, warm_up=warm_up)).unranked == reasons


@pytest.mark.parametrize("rounds", [1, 3, 5, 10])
def test_noise_of_five_percent_with_a_memory_of_three_seconds_costs_one_rank_in_twenty_at_most(rounds: int) -> None:
    random = np.random.default_rng(rounds)
    lost = sum(
        bool(windows(*(run(10, seconds_of(seconds_of_a_window(random, 0.05, 3.0))) for _ in range(rounds))).unranked)
        for _ in range(400)
    )
    assert lost <= 20


def test_a_trend_of_a_fifth_in_each_round_is_found() -> None:
    random = np.random.default_rng(7)
    found = [
        windows(*(run(10, seconds_of(seconds_of_a_window(random, 0.05, 3.0, rise=0.2))) for _ in range(5)))
        for _ in range(100)
    ]
    assert sum(bool(each.unranked) for each in found) >= 95


def test_an_unsteady_contender_loses_its_rank_and_keeps_its_figures() -> None:
    steady, other = run(10, seconds_of(FLAT)), run(10, seconds_of(RISING), "go-rest")
    judgement = judge(comparison_of(steady, other))
    ranks = {each.key: each.rank for each in judgement.contenders}
    assert ranks == {"rust-rest": 1, "go-rest": None}
    unranked = judgement.contenders[-1]
    assert unranked.peak_throughput_per_s is not None and "round 1" in unranked.indicative[0]
    assert "indicative" in [finding.kind for finding in unranked.findings]


def test_a_contender_without_a_rank_is_faded_in_its_place_of_the_chart() -> None:
    slow, fast = run(10, seconds_of(FLAT)), run(10, seconds_of(RISING), "go-rest")
    judgement = judge(comparison_of(slow, fast))
    drawn = ranking_chart("", judgement.contenders, []).series
    figures = {each.name: each.points[0][0] or 0.0 for each in drawn}
    assert list(figures.values()) == sorted(figures.values(), reverse=True)
    assert {each.name: each.faded is True for each in drawn} == {"Rust REST": False, "Go REST, no rank": True}


def test_short_windows_give_an_indication_and_no_verdict() -> None:
    judgement = judge(comparison_of(run(3), run(3, target="go-rest")))
    assert [each.rank for each in judgement.contenders] == [None, None]
    assert judgement.verdict.startswith("No ranking: ")
    assert "had levels of 3 s; 10 s are needed" in judgement.verdict


@pytest.mark.parametrize("mode", ["count", "smoke"])
def test_what_ends_after_a_number_of_requests_has_no_rank_and_no_effect(mode: str) -> None:
    rounds = [run_of(target, [rate], number, mode=mode) for target, rate in RATES.items() for number in range(1, 6)]
    judgement = judge(comparison_of(*rounds))
    assert [each.rank for each in judgement.contenders] == [None, None]
    assert (judgement.pairings, judgement.effects) == ([], [])
    assert judgement.verdict.startswith("No ranking: Go REST had phases")
    assert all("number of requests" in each.indicative[0] for each in judgement.contenders)
    assert "no-level-kept" not in {finding.kind for each in judgement.contenders for finding in each.findings}
