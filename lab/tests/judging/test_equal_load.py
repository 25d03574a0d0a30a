"""Contenders at one rate: holding it, latency, and CPU."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import EqualLoad, EqualLoadEntry, Judgement
from bakeoff.results.run import Status
from made_up import comparison_of, measured, phase, run_of, seconds_of
from made_up_equal_load import NOISE, RATE, Made, equal_comparison


def judged(*contenders: Made) -> Judgement:
    return judge(equal_comparison(*contenders))


def at(judgement: Judgement, rate: float) -> EqualLoad:
    return next(load for load in judgement.equal_loads if load.rate_per_s == rate)


def entry(load: EqualLoad, key: str) -> EqualLoadEntry:
    return next(each for each in load.entries if each.key == key)


def test_each_figure_has_a_ranking_of_its_own_at_both_rates() -> None:
    quick = Made("go-rest", cpu_percent=[60 * each for each in reversed(NOISE)], maximum=4000)
    frugal = Made("rust-rest", latency_ms=[2 * each for each in NOISE])
    judgement = judged(quick, frugal, Made("java-rest", latency_ms=[2 * each for each in reversed(NOISE)]))
    assert [load.rate_per_s for load in judgement.equal_loads] == [1000, 500]
    for load in judgement.equal_loads:
        ranks = {each.key: (each.ranks["p99"], each.ranks["cpu"]) for each in load.entries}
        assert ranks == {"go-rest": (1, 3), "java-rest": (2, 1), "rust-rest": (2, 1)}
        assert load.entries[0].key == "go-rest"
        assert entry(load, "rust-rest").tied_with == {"p99": ("java-rest",), "cpu": ("java-rest",)}
        (pair,) = (each for each in load.pairings["p99"] if {each.one, each.other} == {"go-rest", "rust-rest"})
        ratio, verdict = (pair.ratio.median, pair.verdict)
        assert (round(ratio, 1), verdict) == ((0.5, "faster") if pair.one == "go-rest" else (2.0, "slower"))
    found = entry(at(judgement, RATE), "go-rest")
    assert list(found.latency_ms) == ["p50", "p99", "p99.9"]
    assert found.cpu_us_each is not None and round(found.cpu_us_each.median) == 600
    assert found.latency_ms["p99"].low is not None and found.latency_ms["p99"].high is not None


def test_throughput_is_ranked_by_the_closed_level_alone() -> None:
    judgement = judged(Made("go-rest", maximum=500), Made("rust-rest", maximum=600))
    # The rate is more than either does at most, and shows only what was asked for.
    assert {each.key: each.peak_level for each in judgement.contenders} == {
        "rust-rest": "64 users",
        "go-rest": "64 users",
    }
    assert {each.key: each.rank for each in judgement.contenders} == {"rust-rest": 1, "go-rest": 2}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"throughput_per_s": 900.0}, "90.0% of it was acknowledged in time"),
        ({"unsent": 200}, "1.96% of its requests failed or could not be sent"),
        ({"failed": 100}, "0.99% of its requests failed or could not be sent"),
        ({"latency_ms": 6000.0}, "p99 8,"),
    ],
)
def test_who_does_not_hold_the_rate_is_named_and_not_ranked(changes: dict[str, Any], words: str) -> None:
    judgement = judged(Made("go-rest", changes=changes), Made("rust-rest"), Made("java-rest"))
    load, half = at(judgement, RATE), at(judgement, RATE / 2)
    found = entry(load, "go-rest")
    assert not found.holds and not found.ranks
    assert found.unranked.startswith("does not hold 1,000/s: ") and words in found.unranked
    assert "go-rest" not in {
        key for pairs in load.pairings.values() for pair in pairs for key in (pair.one, pair.other)
    }
    assert entry(load, "rust-rest").ranks == {"p99": 1, "cpu": 1}
    # At half of it nothing is missing.
    assert entry(half, "go-rest").ranks == {"p99": 1, "cpu": 1} and not entry(half, "go-rest").unranked


def test_one_round_with_lost_data_takes_a_contender_out_at_every_rate() -> None:
    stored = equal_comparison(Made("go-rest"), Made("rust-rest", latency_ms=[2 * each for each in NOISE]))
    first, *others = stored.runs
    void = replace(first, result=replace(first.result, status=Status.VOID))
    for load in judge(replace(stored, runs=[void, *others])).equal_loads:
        lost = entry(load, "go-rest")
        assert (lost.ranks, lost.unranked) == ({}, "had lost or wrong data in round 1")
        assert entry(load, "rust-rest").ranks == {"p99": 1, "cpu": 1}
        assert not any(load.pairings.values())


def test_no_rank_by_latency_is_first_where_an_unsteady_contender_was_quicker() -> None:
    stored = equal_comparison(Made("go-rest"), Made("rust-rest", latency_ms=[2 * each for each in NOISE]))
    rising = [each for number in (1, 2, 3) for each in seconds_of([1000 + 60 * at for at in range(11)], number)]
    runs = [
        replace(run, result=replace(run.result, timeline=rising)) if run.result.target == "go-rest" else run
        for run in stored.runs
    ]
    for load in judge(replace(stored, runs=runs)).equal_loads:
        assert entry(load, "go-rest").ranks == {}
        assert entry(load, "rust-rest").ranks["p99"] == 2


def test_late_replies_and_a_poisson_count_are_no_failure_to_hold_it() -> None:
    held = [{"throughput_per_s": 992.0}, {"throughput_per_s": 1000.0, "operations_late": 60, "window_s": 10.0}]
    for changes in held:
        assert entry(at(judged(Made("go-rest", changes=changes)), RATE), "go-rest").holds, changes


def test_short_windows_only_indicate() -> None:
    load = at(judged(Made("go-rest", changes={"duration_s": 3.0}), Made("rust-rest")), RATE)
    found = entry(load, "go-rest")
    assert found.holds and not found.ranks and "10 s are needed" in found.unranked


def test_too_few_rounds_order_and_claim_no_tie() -> None:
    load = at(judged(Made("go-rest", NOISE[:2], NOISE[:2]), Made("rust-rest", (2.0, 2.0), NOISE[:2])), RATE)
    assert [(each.key, each.ranks["p99"]) for each in load.entries] == [("go-rest", 1), ("rust-rest", 2)]
    assert {pair.verdict for pair in load.pairings["p99"]} == {"unknown"}


def test_a_target_whose_cpu_is_unknown_is_ranked_by_latency_alone() -> None:
    load = at(judged(Made("go-rest", changes={"costs": {}}), Made("rust-rest")), RATE)
    found = entry(load, "go-rest")
    assert found.cpu_us_each is None and list(found.ranks) == ["p99"]
    assert load.pairings["cpu"] == []


def test_rates_without_a_closed_level_are_no_equal_load() -> None:
    runs = [run_of(name, phases=[phase(1, 64, measured(RATE), rate=RATE)]) for name in ("go-rest", "rust-rest")]
    judgement = judge(comparison_of(*runs, mode="rate"))
    assert not judgement.equal_loads
    assert [each.peak_level for each in judgement.contenders] == ["64 users", "64 users"]


def test_equal_contenders_are_called_different_in_one_comparison_of_twenty_at_most() -> None:
    random, reported, times = np.random.default_rng(3), 0, 60

    def noisy(scale: float, spread: float) -> list[float]:
        return [float(scale * each) for each in np.exp(spread * random.standard_normal(5))]

    for _ in range(times):
        # Rounded, so that histograms are made once each.
        made = [
            Made(name, [round(each, 2) for each in noisy(1.0, 0.1)], noisy(30.0, 0.03))
            for name in ("go-rest", "rust-rest", "java-rest", "go-grpc")
        ]
        pairs = [pair for load in judged(*made).equal_loads for each in load.pairings.values() for pair in each]
        assert len(pairs) == 24
        reported += any(pair.verdict in ("faster", "slower") for pair in pairs)
    assert reported / times <= 0.05 + 2 * (0.05 * 0.95 / times) ** 0.5
