"""What most requests of an operation send to PostgreSQL, of several that were counted."""

from bakeoff.comparing.operation_statements import usual
from bakeoff.results.statements import OperationStatements


def of(statements: int, round_trips: int, rows: int = 1) -> OperationStatements:
    return OperationStatements(statements=statements, round_trips=round_trips, rows=rows)


def test_what_a_busy_machine_delays_is_no_round_trip() -> None:
    assert usual([of(1, 2), of(1, 2), of(1, 1), of(1, 2)]) == of(1, 1)


def test_a_request_that_does_something_else_does_not_count() -> None:
    assert usual([of(3, 3), of(2, 2), of(2, 2, 7), of(2, 2), of(1, 1)]) == of(2, 2)
