"""The figures of one operation, and what follows for the requests whose replies were not checked."""

import pytest

from bakeoff.results.operations import MeasuredOperation
from made_up import divided, operation


def test_replies_that_were_not_checked_are_wrong_as_often_as_those_that_were() -> None:
    read = operation(ok=990, errors={"body": 10}, checked=10, checks_failed=10)
    half = operation(ok=995, errors={"body": 5}, checked=10, checks_failed=5)
    assert (read.estimated_failed, read.error_rate) == (1000, 1.0)
    # Five were seen right, the other 990 were not looked at.
    assert half.estimated_failed == 5 + 990 / 2


def test_the_error_rate_of_a_run_is_extrapolated_operation_by_operation() -> None:
    total = divided(
        {"write": operation(ok=1000), "read": operation(990, errors={"body": 10}, checked=10, checks_failed=10)}
    )
    assert total.failed == 10
    assert total.error_rate == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("each", "fails"),
    [
        (operation(ok=0, errors={"status_500": 7}), True),
        (operation(ok=990, errors={"body": 10}, checked=10, checks_failed=10), True),
        (operation(ok=991, errors={"body": 9}, checked=10, checks_failed=9), False),
        (operation(ok=1, errors={"status_500": 7}), False),
        (operation(ok=0), False),
    ],
)
def test_an_operation_always_fails_where_nothing_shows_a_success(each: MeasuredOperation, fails: bool) -> None:
    assert each.always_fails is fails


def test_statuses_of_all_operations_are_added() -> None:
    total = divided({"a": operation(5, statuses={"200": 5}), "b": operation(4, statuses={"404": 1, "200": 3})})
    assert total.statuses == {"200": 8, "404": 1}
