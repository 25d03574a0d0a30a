"""Which comparisons may go on, asked of a real PostgreSQL."""

from dataclasses import replace

import pytest

from bakeoff.results.document import Origin
from bakeoff.results.run import Status
from bakeoff.storage.metrics_store import MetricsStore
from made_up import BEGIN, measured, run_result

pytestmark = pytest.mark.end_to_end

ORIGIN = Origin(BEGIN, "a name", "events", "quick", "./bakeoff run quick", 2)
HERE, ELSEWHERE = "this machine", "another"


def begun(store: MetricsStore, status: str, machine: str = HERE) -> int:
    comparison_id = store.begin_comparison(ORIGIN, {"mode": "quick", "machine": machine})
    if status != "running":
        store.end_comparison(comparison_id, status, {})
    return comparison_id


@pytest.mark.parametrize(
    ("statuses", "found"),
    [
        ([], []),
        (["completed"], [(1, False)]),
        (["failed"], [(1, False)]),
        (["interrupted", "completed"], [(2, False), (1, True)]),
        # The latest, and the latest that was cut short: no others.
        (["running", "interrupted", "completed", "completed"], [(4, False), (2, True)]),
        (["interrupted", "running"], [(2, True)]),
    ],
)
def test_the_latest_and_the_latest_that_was_cut_short(
    store: MetricsStore, statuses: list[str], found: list[tuple[int, bool]]
) -> None:
    for status in statuses:
        begun(store, status)
    begun(store, "running", ELSEWHERE)
    assert [(each.id, each.cut_short) for each in store.unfinished_comparisons(HERE)] == found


def test_turns_are_done_that_came_to_their_end_and_were_answered(store: MetricsStore) -> None:
    comparison_id = begun(store, "completed")
    unanswered = measured(0, requests=5, failed=5)
    for run in (
        run_result("a", round=1),
        run_result("a", round=2, status=Status.FAILED, failure="It died."),
        run_result("b", round=1, mode="smoke"),
        run_result("b", round=2, total=unanswered),
        replace(run_result("c", round=1, status=Status.FAILED), total=None, phases=[]),
        run_result("c", round=2, status=Status.VOID),
    ):
        store.add_run(comparison_id, run)
    (unfinished,) = store.unfinished_comparisons(HERE)
    assert unfinished.done == {("a", 1)}
    assert (unfinished.request, unfinished.started_at) == ({"mode": "quick"}, BEGIN)
