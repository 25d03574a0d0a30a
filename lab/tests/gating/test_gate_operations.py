"""A gate looks at each operation: one that has become worse is found though the others hide it."""

from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.gating.check import Outcome
from bakeoff.gating.goals import checked_against_goals, read_goals
from bakeoff.gating.regressions import Limits, check_regressions
from bakeoff.history.phases import Measurement, measurement_of
from made_up import divided, operation, run_of, run_result


def rounds(read_ms: float, **read: object) -> Measurement:
    """Three rounds in which the operation Read is a hundredth of the work."""
    operations = {"Save": operation(ok=9900), "Read": operation(100, read_ms, **read)}  # type: ignore[arg-type]
    total = divided(operations, latency_ms=1.0)
    runs = [run_result("rust-rest", number, total, round=number) for number in (1, 2, 3)]
    return measurement_of(runs)


def test_a_slower_operation_fails_though_the_run_is_as_fast_as_ever() -> None:
    gate = check_regressions(rounds(1.0), rounds(5.0), Limits())
    assert [(check.series.operation, check.metric) for check in gate.failed] == [("Read", "mean")]


def test_of_an_operation_the_mean_is_compared_and_of_the_whole_the_throughput() -> None:
    gate = check_regressions(rounds(1.0), rounds(1.0), Limits())
    compared = {(check.series.operation, check.metric) for check in gate.checks if check.change is not None}
    # Of Read's 300 requests too few lie beyond p99.
    assert compared == {("", "throughput"), ("", "p99"), ("Save", "mean"), ("Save", "p99"), ("Read", "mean")}


@pytest.mark.parametrize(("slower", "failed"), [(1.17, False), (1.18, True)])
def test_an_operation_may_take_as_much_longer_as_the_throughput_may_decrease(slower: float, failed: bool) -> None:
    gate = check_regressions(rounds(10.0), rounds(10.0 * slower), Limits())
    assert [check.metric for check in gate.failed if check.series.operation == "Read"] == ["mean"] * failed


def test_operations_that_wait_for_a_slower_one_do_not_fail_with_it() -> None:
    halved = {"Save": operation(ok=4950), "Read": operation(50, 5.0)}
    runs = [run_result("rust-rest", number, divided(halved), round=number) for number in (1, 2, 3)]
    gate = check_regressions(rounds(1.0), measurement_of(runs), Limits())
    failed = {(check.series.operation, check.metric) for check in gate.failed}
    assert failed == {("", "throughput"), ("Read", "mean")}


def test_failures_of_one_operation_are_judged_by_themselves() -> None:
    gate = check_regressions(rounds(1.0), rounds(1.0, errors={"timeout": 3}), Limits())
    assert [(check.series.operation, check.metric) for check in gate.failed] == [("Read", "errors")]


def test_replies_that_were_not_checked_fail_the_gate_too() -> None:
    gate = check_regressions(rounds(1.0), rounds(1.0, errors={"body": 1}, checked=1, checks_failed=1), Limits())
    assert {check.metric for check in gate.failed} == {"errors"}
    # A hundredth of all requests is wrong: no more than allowed for the run, all of its operation.
    assert {check.series.operation for check in gate.failed} == {"", "Read"}


def test_the_only_operation_is_not_looked_at_twice() -> None:
    runs = [run_of("rust-rest", number=number) for number in (1, 2)]
    total = divided({"Save": operation()})
    alone = measurement_of([run_result("rust-rest", number, total) for number in (1, 2)])
    assert measurement_of(runs).operations == []
    assert {check.series.operation for check in check_regressions(alone, alone, Limits()).checks} == {""}


def test_a_goal_may_name_an_operation(tmp_path: Path) -> None:
    file = tmp_path / "goals.toml"
    file.write_text('[all]\np99_ms = 3\n[reads]\noperation = "Re*"\np99_ms = 3\nmean_ms = 9', "utf-8")
    candidate = rounds(5.0)
    gate = checked_against_goals(read_goals(file), [*candidate.runs, *candidate.operations])
    found = {(check.series.operation, check.metric): check.outcome for check in gate.checks}
    assert found == {("", "p99"): Outcome.PASSED, ("Read", "p99"): Outcome.FAILED, ("Read", "mean"): Outcome.PASSED}


def test_a_goal_for_an_unknown_operation_names_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "goals.toml"
    file.write_text('[reads]\noperation = "Raed"\np99_ms = 3', "utf-8")
    candidate = rounds(1.0)
    (check,) = checked_against_goals(read_goals(file), [*candidate.runs, *candidate.operations]).checks
    assert check.outcome is Outcome.FAILED
    assert 'operation = "Raed" (nearest: Read' in check.words


def test_a_misspelt_condition_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "goals.toml"
    file.write_text('[reads]\noperations = "Read"\np99_ms = 3', "utf-8")
    with pytest.raises(UsageError, match="operations"):
        read_goals(file)


def test_operations_that_one_side_lacks_are_named() -> None:
    operations = divided({"Save": operation(), "Find": operation()})
    runs = [run_result("rust-rest", number, operations, round=number) for number in (1, 2, 3)]
    gate = check_regressions(rounds(1.0), measurement_of(runs), Limits())
    assert [each.rpartition(" · ")[2] for each in gate.left_out] == [
        "Find: not in the baseline.",
        "Read: only in the baseline.",
    ]
