"""Limits that decide the exit status of `run`, and what is reported about failed requests."""

from dataclasses import replace

import pytest

from bakeoff.errors import UsageError
from bakeoff.reporting.threshold_lines import exceeded_lines, failing_lines, limits_of
from bakeoff.results.run import RunResult, Status
from made_up import measured, phase, run_of

SLOW = run_of(phases=[phase(1, 10, measured(100, 1.0)), phase(2, 50, measured(100, 3000.0))])


def failing(failed: int) -> RunResult:
    return run_of(phases=[phase(1, 10, measured(requests=10_000, failed=failed))])


def test_each_phase_that_does_not_keep_a_limit_is_named_with_its_figure() -> None:
    (line,) = exceeded_lines([SLOW], limits_of("p95<2s,p99<500s"))
    assert line.startswith(f"rust-rest, round {SLOW.round}, {SLOW.phases[1].name}: not kept: p95<2s (4")


@pytest.mark.parametrize(
    ("run", "threshold", "lines"),
    [
        (SLOW, None, 0),
        (SLOW, "p95<10s", 0),
        (replace(SLOW, status=Status.INTERRUPTED), "p95<2s", 0),
        (failing(500), "p99<5s", 1),  # errors stay below 5 % where nothing else is said
        (failing(499), "p99<5s", 0),
        (failing(10), "errors<0.1%", 1),
        (failing(9), "errors<0.1%", 0),
    ],
)
def test_limits(run: RunResult, threshold: str | None, lines: int) -> None:
    assert len(list(exceeded_lines([run], limits_of(threshold)))) == lines


def test_limits_that_cannot_be_read_name_the_option() -> None:
    with pytest.raises(UsageError, match='--threshold is "p95": "p95" is'):
        limits_of("p95")


@pytest.mark.parametrize(("failed", "lines"), [(10, 0), (11, 1), (490, 1)])
def test_more_than_a_thousandth_of_failed_requests_is_reported(failed: int, lines: int) -> None:
    assert len(list(failing_lines([failing(failed)]))) == lines


def test_failures_of_all_runs_of_a_contender_count_together() -> None:
    (line,) = failing_lines([failing(0), failing(490)])
    assert line.startswith("rust-rest: 2.45% of its requests failed, more than 0.1%.")
