import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import ReferenceLine
from bakeoff.judging.verdict import fastest_of
from bakeoff.results import histograms
from bakeoff.results.run import RunResult, Status
from made_up import comparison_of, cost, histogram_of, level, measured, phase, rounds_of, run_of, seconds_of

STEADY = [1000.0, 1010.0, 1003.0, 1007.0]
SLOWER = [900.0, 911.0, 903.0, 905.0]
ALIKE = [1001.0, 1006.0, 1004.0, 1009.0]
AT_EIGHT = {"payload": "8k"}


@pytest.mark.parametrize(
    ("runs", "verdict"),
    [
        ([], "Nothing valid was measured, so there is no verdict."),
        (
            [run_of(status=Status.VOID)],
            "Rust REST (round 1) had lost or wrong data and is not compared. "
            "Nothing valid was measured, so there is no verdict.",
        ),
        ([run_of(phases=[])], "Nothing valid was measured, so there is no verdict."),
        ([run_of()], "Rust REST reaches 1,000 operations/s; there is nothing to compare it with."),
        (
            [run_of(), run_of("go-rest", status=Status.VOID)],
            "Go REST (round 1) had lost or wrong data and is not compared. "
            "Of the others, Rust REST reaches 1,000 operations/s; there is nothing to compare it with.",
        ),
        (
            [run_of(), run_of("go-rest", [800.0])],
            "Highest: Rust REST with 1,000 operations/s, 1.25× the throughput of Go REST, but one round "
            "cannot separate a difference from chance.",
        ),
        (
            [*rounds_of("rust-rest", [1000, 1000]), *rounds_of("go-rest", [1100, 900])],
            "Go REST reaches 1,000 operations/s; Rust REST cannot be distinguished from it.",
        ),
        (
            [*rounds_of("rust-rest", STEADY), *rounds_of("go-rest", SLOWER)],
            "Rust REST is fastest with 1,005 operations/s (1,000 to 1,010), 1.11× (95% interval 1.11 to "
            "1.11) the throughput of Go REST.",
        ),
        (
            [*rounds_of("rust-rest", STEADY), *rounds_of("go-rest", ALIKE)],
            "Go REST and Rust REST tie at 1,005 operations/s. They are equivalent within 0.5%.",
        ),
        (
            [*rounds_of("rust-rest", STEADY), *rounds_of("go-rest", ALIKE), *rounds_of("java-rest", SLOWER)],
            "Go REST and Rust REST tie at 1,005 operations/s, Go REST with 1.11× (97% interval 1.10 to 1.12) "
            "the throughput of Java REST. They are equivalent within 0.4%.",
        ),
        (
            [*rounds_of("rust-rest", STEADY), *rounds_of("go-rest", ALIKE), *rounds_of("java-rest", STEADY)],
            "All 3 tie at 1,005 operations/s. They are equivalent within 0.6%.",
        ),
        (
            [*rounds_of("rust-rest", [1000, 2200, 900]), *rounds_of("go-rest", [1700, 1000, 1800])],
            "Go REST and Rust REST tie at 1,000 to 1,700 operations/s. "
            "These rounds scatter too much to find even a doubling: take more or longer rounds.",
        ),
        (
            [
                *rounds_of("rust-rest", STEADY),
                *rounds_of("go-rest", SLOWER),
                *rounds_of(
                    "rust-rest", [50, 51, 50, 51], contender="rust-rest payload=8k", payload="8k", factors=AT_EIGHT
                ),
            ],
            "Payload default: Rust REST is fastest with 1,005 operations/s (1,000 to 1,010), 1.11× (95% interval "
            "1.11 to 1.12) the throughput of Go REST. Payload 8k: Rust REST reaches 50.5 operations/s (50.0 to 51.0); "
            "there is nothing to compare it with.",
        ),
    ],
)
def test_the_verdict_in_short_sentences(runs: Sequence[RunResult], verdict: str) -> None:
    judgement = judge(comparison_of(*runs))
    assert judgement.verdict == verdict
    # Of several divisions, which the sentence names with a colon, no single contender is the fastest.
    named, best = re.match(r"([^:]*) is fastest", verdict), fastest_of(judgement)
    assert (best and best.name) == (named and named[1])


def test_in_the_open_model_latency_tells_those_apart_that_keep_up() -> None:
    def rounds(target: str, p99_ms: float) -> list[RunResult]:
        part = measured(5000, histogram=histogram_of(p99_ms, times=2000))
        return [run_of(target, number=number, phases=[phase(1, 64, part, 5000.0)]) for number in (1, 2, 3)]

    verdict = judge(comparison_of(*rounds("rust-rest", 2.0), *rounds("go-rest", 12.0))).verdict
    assert verdict.startswith(
        "Go REST and Rust REST tie at 5,000 operations/s, p99 from 2 ms (Rust REST) to 12 ms (Go REST)"
    )


def test_contenders_are_ranked_at_their_own_best_load() -> None:
    judgement = judge(comparison_of(run_of("rust-rest", [500, 1000, 700]), run_of("go-rest", [900, 800, 700])))
    assert [
        (each.label, each.rank, each.peak_level, each.peak_throughput_per_s and each.peak_throughput_per_s.median)
        for each in judgement.contenders
    ] == [("Rust REST", 1, "50 users", 1000.0), ("Go REST", 2, "10 users", 900.0)]
    (pairing,) = judgement.pairings
    assert pairing.one == "go-rest"
    assert pairing.ratio.median == pytest.approx(0.9)


def test_who_has_nothing_valid_comes_last_without_a_rank() -> None:
    judgement = judge(comparison_of(run_of("rust-rest", status=Status.VOID), run_of("go-rest")))
    assert [(each.label, each.rank) for each in judgement.contenders] == [("Go REST", 1), ("Rust REST", None)]
    void = judgement.contenders[1]
    assert (void.void_rounds, void.rounds, void.levels, void.total, void.peak_throughput_per_s) == (
        1,
        0,
        (),
        None,
        None,
    )
    assert ([run.id for run in void.runs], void.bottleneck.kind) == ([1], "unknown")


def test_each_payload_has_an_order_of_its_own_the_smallest_first() -> None:
    sizes = {"64k": 10.0, "8k": 100.0, "default": 1000.0}
    runs = [
        run_of(target, [rate * factor], payload=size, contender=f"{target} payload={size}", factors={"payload": size})
        for size, rate in sizes.items()
        for target, factor in (("rust-rest", 2), ("go-rest", 1))
    ]
    judgement = judge(comparison_of(*runs))
    assert [(each.label, each.rank) for each in judgement.contenders] == [
        (f"{name} · payload {size}", rank)
        for size in ("default", "8k", "64k")
        for rank, name in ((1, "Rust REST"), (2, "Go REST"))
    ]
    assert len(judgement.pairings) == 3
    assert {effect.factor for effect in judgement.effects} == {"language", "payload"}


def test_a_level_is_the_median_round_and_its_histogram_holds_all_rounds() -> None:
    fast, slow = histogram_of(1.0, times=1000), histogram_of(9.0, times=1000)
    runs = [
        run_of(number=number, phases=[phase(1, 10, measured(100, histogram=each, failed=number))])
        for number, each in enumerate((fast, slow, fast), start=1)
    ]
    contender = judge(comparison_of(*runs)).contenders[0]
    (only,) = contender.levels
    assert (only.name, only.virtual_users, only.requests, only.failed, only.duration_s) == (
        "10 users",
        10,
        3006,
        6,
        30.0,
    )
    assert only.errors == {"timeout": 6}
    assert only.latency_ms["p99"].median == pytest.approx(1.0, rel=0.001)
    assert only.latency_ms["max"].high == pytest.approx(9.0, rel=0.001)
    assert histograms.merge([only.histogram]).get_total_count() == 3 * 1000
    assert contender.total is not None
    assert histograms.merge([contender.total.histogram]).get_total_count() == 3 * 1000


def test_costs_are_estimated_where_they_are_known() -> None:
    parts = [
        measured(100, costs={"target": cost(50, memory_mb=30)}),
        measured(100, costs={"target": replace(cost(0), cpu_s=None, cpu_percent_mean=None, cpu_percent_peak=None)}),
        measured(100, costs={}),
    ]
    costs = level(10, *parts).costs
    assert set(costs) == {"target"}
    assert costs["target"].cpu_us_each is not None
    assert costs["target"].cpu_us_each.values == (5000.0,)
    assert costs["target"].memory_peak_mb.values == (30.0, 20.0)


def test_a_phase_that_a_round_lacks_is_judged_by_the_others() -> None:
    judgement = judge(comparison_of(run_of(throughputs=[10, 20]), run_of(throughputs=[11], number=2)))
    levels = judgement.contenders[0].levels
    assert [each.throughput_per_s.values for each in levels] == [(10.0, 11.0), (20.0,)]


def test_the_open_model_has_rates_and_no_users() -> None:
    runs = [run_of(phases=[phase(1, 64, measured(1000), 1000.0), phase(2, 128, measured(1500), 2000.0)])]
    contender = judge(comparison_of(*runs)).contenders[0]
    assert [(each.virtual_users, each.arrival_rate_per_s) for each in contender.levels] == [(0, 1000.0), (0, 2000.0)]
    assert (contender.optimal_users, contender.breaking_users) == (None, None)


def test_shares_of_ceiling_and_reference_lines() -> None:
    ceilings = {"engine": 4000.0, "one upsert per event": 500.0}
    judgement = judge(comparison_of(run_of(ceilings=ceilings), run_of("go-rest", payload="8k", ceilings=ceilings)))
    at_default, at_8k = judgement.contenders
    assert judgement.reference_lines[0] == ReferenceLine(
        "one upsert per event", None, "PostgreSQL alone, one upsert per event", 500.0
    )
    assert (at_default.ceiling_share, at_default.reference_shares) == (0.25, {"one upsert per event": 2.0})
    # The lines are drawn with messages of the default size.
    assert (at_8k.ceiling_share, at_8k.reference_shares) == (0.25, {})


def test_aa_pairs_make_the_noise_floor() -> None:
    runs = [
        run_of("go-rest", [rate], number, contender=f"go-rest aa={one}", factors={"aa": one})
        for one, rates in (("a", (100, 100, 100)), ("b", (102, 98, 102)))
        for number, rate in enumerate(rates, start=1)
    ]
    judgement = judge(comparison_of(*runs))
    assert judgement.noise_floor == pytest.approx(0.02, rel=0.02)
    assert [pairing.verdict for pairing in judgement.pairings] == ["tie"]
    assert judgement.effects == []
    lone = judge(comparison_of(*rounds_of("go-rest", [100, 102, 98])))
    assert lone.noise_floor == pytest.approx(0.0287, rel=0.02)


def test_a_difference_within_the_noise_floor_is_a_tie_however_regular() -> None:
    pairs = [
        run_of("java-rest", [rate], number, contender=f"java-rest aa={one}", factors={"aa": one})
        for one, rates in (("a", (100, 100, 100)), ("b", (107, 94, 106)))
        for number, rate in enumerate(rates, start=1)
    ]
    close = [*rounds_of("rust-rest", [200, 200, 200]), *rounds_of("go-rest", [206, 206, 206])]
    reported = {frozenset((p.one, p.other)): p.verdict for p in judge(comparison_of(*pairs, *close)).pairings}
    assert reported[frozenset(("rust-rest", "go-rest"))] == "tie"
    assert judge(comparison_of(*close)).pairings[0].verdict == "faster"


def test_provenance_tells_what_differed() -> None:
    runs = [
        run_of(environment={"commit": "abc", "toolchain": "rustc"}),
        run_of("go-rest", environment={"commit": "def", "toolchain": "go"}),
    ]
    judgement = judge(comparison_of(*runs))
    assert judgement.provenance == {"commit": "abc, def", "engine": "native 1", "seed": "1"}


def test_judging_twice_gives_the_same() -> None:
    comparison = comparison_of(*rounds_of("rust-rest", STEADY), *rounds_of("go-rest", ALIKE))
    assert judge(comparison) == judge(comparison)


def test_a_run_from_before_timelines_and_contenders_is_judged() -> None:
    old = run_of(
        contender="", factors={}, timeline=[], ceilings={}, environment={}, settings={}, start_to_healthy_s=None
    )
    new = run_of("go-rest", timeline=seconds_of([1, 2, 3]))
    judgement = judge(comparison_of(old, new, not_measured={"java-rest": "There is no Java."}))
    assert [each.key for each in judgement.contenders] == ["go-rest", "rust-rest"]
    assert judgement.not_measured == {"java-rest": "There is no Java."}
