"""Effects of a factor on each operation: by mean latency, at one load of all contenders, never across workloads."""

from typing import Any

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Effect, Judgement
from bakeoff.results.run import RunResult
from made_up import comparison_of, divided, operation, phase, run_of


def rounds(
    target: str, read_ms: float, save_ms: float, users: tuple[int, ...] = (10,), **changes: Any
) -> list[RunResult]:
    """Three rounds; at more users than the first few everything takes longer and more is done."""
    runs = []
    for number in (1, 2, 3):
        phases = [
            phase(
                place,
                count,
                divided(
                    {
                        "Read": operation(1000 * place, read_ms * place * (1 + number / 100)),
                        "Save": operation(1000 * place, save_ms * place * (1 + number / 100)),
                    }
                ),
            )
            for place, count in enumerate(users, start=1)
        ]
        runs.append(run_of(target, number=number, phases=phases, **changes))
    return runs


def effect(judgement: Judgement, name: str) -> Effect:
    (found,) = [each for each in judgement.operation_effects if each.operation == name]
    return found


def test_grpc_against_rest_is_told_operation_by_operation() -> None:
    judgement = judge(comparison_of(*rounds("rust-rest", 2.0, 3.0), *rounds("rust-grpc", 1.0, 6.0)))
    read, save = effect(judgement, "Read"), effect(judgement, "Save")
    assert (read.factor, read.one, read.other, read.load) == ("protocol", "grpc", "rest", "10 users")
    assert read.ratio.median == pytest.approx(2.0, rel=0.01)
    assert (save.one, save.other) == ("rest", "grpc")
    assert save.ratio.median == pytest.approx(2.0, rel=0.01)
    # Throughput shows nothing: the mix gives each operation its half.
    assert [each.ratio.median for each in judgement.effects] == pytest.approx([1.0])


def test_operations_are_compared_at_one_load_that_all_held() -> None:
    judgement = judge(
        comparison_of(*rounds("rust-rest", 2.0, 3.0, (10, 50)), *rounds("rust-grpc", 1.0, 6.0, (10, 50, 200)))
    )
    assert {each.load for each in judgement.operation_effects} == {"50 users"}


def test_operations_of_two_workloads_have_nothing_in_common() -> None:
    judgement = judge(comparison_of(*rounds("rust-rest", 2.0, 3.0), *rounds("go-rest", 1.0, 6.0, workload="users")))
    assert (judgement.operation_effects, judgement.effects, judgement.pairings) == ([], [], [])
    assert [(each.division, each.rank) for each in judgement.contenders] == [("events", 1), ("users", 1)]


def test_levels_know_their_operations() -> None:
    (contender,) = judge(comparison_of(*rounds("rust-rest", 2.0, 3.0))).contenders
    (level,) = contender.levels
    assert level.statuses == {"200": 6000}
    read = level.operations["Read"]
    assert (read.requests, read.throughput_per_s.values) == (3000, (100.0, 100.0, 100.0))
    assert read.latency_ms["mean"].median == pytest.approx(2.05, rel=0.01)


def test_runs_without_operations_have_none() -> None:
    judgement = judge(comparison_of(run_of("rust-rest"), run_of("rust-grpc")))
    assert judgement.operation_effects == []
    assert judgement.contenders[0].levels[0].operations == {}
