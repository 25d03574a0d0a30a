"""Which windows carry a rank: short and unsteady ones only indicate."""

from collections.abc import Sequence

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.windows import why_unranked
from bakeoff.results.run import RunResult, Second
from made_up import comparison_of, measured, phase, run_of, seconds_of

FLAT = [1000, 990, 1010, 995, 1005, 1000, 990, 1010, 1000, 1000]
RISING = [1000 + 60 * second for second in range(11)]
RATES = {"rust-rest": 1000.0, "go-rest": 2000.0}
STALLED = [1000, 990, 1010, 100, 1005, 1000, 990, 1010, 1000, 1000]


def run(seconds: float, timeline: Sequence[Second] = (), target: str = "rust-rest", number: int = 1) -> RunResult:
    part = measured(1000.0, duration_s=seconds + 2, window_s=seconds)
    return run_of(target, number=number, phases=[phase(1, 10, part)], timeline=timeline)


@pytest.mark.parametrize(
    ("runs", "reasons"),
    [
        ([run(10)], 0),
        # The last reply of a short window came late, which makes it no longer.
        ([run(9.9)], 1),
        ([run(10, seconds_of(FLAT))], 0),
        ([run(10, seconds_of(RISING))], 1),
        ([run(10, seconds_of(STALLED))], 1),
        ([run(5, seconds_of(STALLED))], 2),
        # Another phase was unsteady, not the one that would rank.
        ([run(10, seconds_of(RISING, 2))], 0),
        ([*[run(10, seconds_of(FLAT))] * 4, run(10, seconds_of(RISING))], 1),
        # One of many rounds: something happens now and then on any machine.
        ([*[run(10, seconds_of(FLAT))] * 9, run(10, seconds_of(RISING))], 0),
        ([*[run(10, seconds_of(FLAT))] * 8, *[run(10, seconds_of(RISING))] * 2], 1),
        # A low rate varies by chance alone.
        ([run(10, seconds_of([30, 50, 20, 60, 40, 35, 55, 45, 50, 30]))], 0),
        ([], 0),
    ],
)
def test_short_or_unsteady_windows_have_no_rank(runs: Sequence[RunResult], reasons: int) -> None:
    assert len(why_unranked(dict(enumerate(runs, start=1)), 1)) == reasons


def test_an_unsteady_contender_loses_its_rank_and_keeps_its_figures() -> None:
    steady, other = run(10, seconds_of(FLAT)), run(10, seconds_of(RISING), "go-rest")
    judgement = judge(comparison_of(steady, other))
    ranks = {each.key: each.rank for each in judgement.contenders}
    assert ranks == {"rust-rest": 1, "go-rest": None}
    unranked = judgement.contenders[-1]
    assert unranked.peak_throughput_per_s is not None and "round 1" in unranked.indicative[0]
    assert "indicative" in [finding.kind for finding in unranked.findings]


def test_short_windows_give_an_indication_and_no_verdict() -> None:
    judgement = judge(comparison_of(run(3), run(3, target="go-rest")))
    assert [each.rank for each in judgement.contenders] == [None, None]
    assert judgement.verdict.startswith("Indicative only, without ranks: ")
    assert "windows of 3 s, and a rank needs 10 s" in judgement.verdict


@pytest.mark.parametrize("mode", ["count", "smoke"])
def test_what_ends_after_a_number_of_requests_has_no_rank_and_no_effect(mode: str) -> None:
    rounds = [run_of(target, [rate], number, mode=mode) for target, rate in RATES.items() for number in range(1, 6)]
    judgement = judge(comparison_of(*rounds))
    assert [each.rank for each in judgement.contenders] == [None, None]
    assert (judgement.pairings, judgement.effects) == ([], [])
    assert judgement.verdict.startswith("Indicative only, without ranks: Go REST reached 2,000")
    assert all("number of requests" in each.indicative[0] for each in judgement.contenders)
    assert "no-level-kept" not in {finding.kind for each in judgement.contenders for finding in each.findings}
