"""Curves of a comparison: contenders that share one, what was full at each step, and no curve where nothing scales."""

from collections.abc import Mapping

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import ScaleCurve
from bakeoff.results.run import RunResult, Status
from made_up import comparison_of, cost, measured, phase, rounds_of, run_of

NOISE = (1.0, 1.01, 0.99)


def rate(count: int, sigma: float = 0.1, kappa: float = 0.01) -> float:
    return 1000 * count / (1 + sigma * (count - 1) + kappa * count * (count - 1))


def runs_at(target: str, count: int, factors: Mapping[str, str], cpu: float = 20.0) -> list[RunResult]:
    name = " ".join([target, *(f"{factor}={value}" for factor, value in factors.items())])
    runs = []
    for number, noise in enumerate(NOISE, start=1):
        part = measured(rate(count) * noise, costs={"target": cost(cpu * count), "database": cost(10)})
        runs.append(run_of(target, phases=[phase(1, 64, part)], number=number, contender=name, factors=dict(factors)))
    return runs


def curves_of(*runs: RunResult, scale: str) -> list[ScaleCurve]:
    return list(judge(comparison_of(*runs, scale=scale)).scale_curves)


def test_a_curve_along_a_factor_for_each_group_that_is_alike() -> None:
    runs = [
        run
        for target in ("rust-rest", "go-rest")
        for count in (8, 1, 4, 2)
        for run in runs_at(target, count, {"replicas": str(count)})
    ]
    curves = curves_of(*runs, scale="replicas")
    assert [curve.label for curve in curves] == ["Go REST", "Rust REST"]
    for curve in curves:
        assert [step.count for step in curve.steps] == [1, 2, 4, 8]
        assert curve.fit is not None and curve.fit.contention.value == pytest.approx(0.1, rel=0.05)
        assert curve.fit.peak == pytest.approx(9.49, rel=0.05)


def test_each_step_names_what_was_full_and_what_it_cost() -> None:
    runs = [run for count in (1, 2, 4, 8) for run in runs_at("rust-rest", count, {"replicas": str(count)}, cpu=22.0)]
    (curve,) = curves_of(*runs, scale="replicas")
    # Eight times 22% and the database's 10% are most of two cores.
    assert [step.bottleneck.kind for step in curve.steps] == ["unknown", "unknown", "unknown", "target-cpu"]
    assert curve.steps[3].cpu_us_each["target"] == pytest.approx(1e4 * 22 * 8 / rate(8), rel=0.02)


def test_other_factors_make_curves_of_their_own() -> None:
    runs = [
        run
        for mode in ("group-commit", "per-request")
        for count in (1, 2, 4, 8)
        for run in runs_at("rust-rest", count, {"write_mode": mode, "pool_size": str(count)})
    ]
    labels = [curve.label for curve in curves_of(*runs, scale="pool_size")]
    assert labels == ["Rust REST · write mode group-commit", "Rust REST · write mode per-request"]


def test_load_levels_are_counts_too() -> None:
    runs = [
        run_of(
            number=number,
            phases=[phase(place, users, measured(rate(users) * noise)) for place, users in enumerate((1, 2, 4, 8), 1)],
        )
        for number, noise in enumerate(NOISE, start=1)
    ]
    (curve,) = curves_of(*runs, scale="users")
    assert [step.count for step in curve.steps] == [1, 2, 4, 8]
    assert curve.fit is not None and curve.fit.coherency.value == pytest.approx(0.01, rel=0.05)


def test_too_few_that_count_are_refused_with_the_reason() -> None:
    runs = [run for count in (1, 2, 4) for run in runs_at("rust-rest", count, {"replicas": str(count)})]
    void = rounds_of("rust-rest", [900.0] * 3, contender="rust-rest replicas=8", status=Status.VOID)
    (curve,) = curves_of(*runs, *void, scale="replicas")
    assert curve.fit is None and "known at 1, 2, 4" in curve.refused
    assert [step.count for step in curve.steps] == [1, 2, 4]


def test_nothing_is_a_curve_where_the_comparison_says_so() -> None:
    runs = [run for count in (1, 2, 4, 8) for run in runs_at("rust-rest", count, {"replicas": str(count)})]
    assert curves_of(*runs, scale="") == []
    assert curves_of(*runs, scale="write_mode") == []
