from typing import Any

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.usage_at_peak import cores_of_target
from made_up import comparison_of, measured, phase, run_of


@pytest.mark.parametrize(
    ("settings", "cores"),
    [
        ({}, None),
        ({"limit_cpus": "1.5"}, 1.5),
        ({"limit_cpus": "few"}, None),
        ({"pin": "target=0+1,database=2"}, 2),
        ({"pin": "database=2"}, None),
        ({"pin": "target=0+1", "limit_cpus": "0.5"}, 0.5),
        ({"pin": "target=0", "limit_cpus": "4"}, 1),
    ],
)
def test_the_cores_that_a_target_may_use(settings: dict[str, str], cores: float | None) -> None:
    assert cores_of_target(settings) == cores


WAITING = {"active_backends_mean": 1.8, "connections_peak": 2, "wait_shares": {"IO:WalSync": 0.8, "CPU": 0.2}}
CROWDED = {"active_backends_mean": 9.5, "connections_peak": 10, "wait_shares": {"CPU": 1.0}}
# The run does 1,000/s.
LINES = {"one upsert per event": 1050.0, "batches of 500": 10_000.0}
IDLE: dict[str, Any] = {"active_backends_mean": None, "connections_peak": None, "wait_shares": {}}

# A pool of 16 that is full at the peak alone, as the warm-up and three phases of 10, 10, 50 and 200 users see it.
POOL = {
    "active_backends_mean": 13.0,
    "connections_peak": 16,
    "wait_shares": {"CPU": 1.0},
    "phases": {
        "1": {"active_backends_mean": 10.0, "connections_peak": 16, "wait_shares": {"CPU": 1.0}},
        "2": {"active_backends_mean": 15.9, "connections_peak": 16, "wait_shares": {"CPU": 1.0}},
        "3": {"active_backends_mean": 16.0, "connections_peak": 16, "wait_shares": {"CPU": 1.0}},
    },
}
# No sample was taken in the only phase, or it waited where the run as a whole did not.
UNSEEN = {**CROWDED, "phases": {"1": {"looks": 0, **IDLE}}}
UNSTAMPED: dict[str, Any] = {**CROWDED, "phases": {}}
WAITING_AT_LAST = {**CROWDED, "active_backends_mean": 3.0, "phases": {"1": CROWDED, "2": WAITING}}


def committing(commits: int) -> dict[str, Any]:
    """Commits of the only phase, which acknowledges 10,000 operations."""
    return {"phases": {"1": {"commits": commits, **IDLE}}}


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "unknown"),
        ({"throughputs": [1000, 900]}, "unknown"),
        # In the open model the load is what it was meant to be.
        ({"phases": [phase(1, 64, measured(1000), 1000.0)]}, "unknown"),
        ({"database_activity": WAITING}, "database"),
        ({"database_activity": CROWDED}, "pool"),
        ({"throughputs": [500, 800, 900], "database_activity": POOL}, "pool"),
        ({"throughputs": [900, 800, 500], "database_activity": POOL}, "unknown"),
        ({"throughputs": [500, 900], "database_activity": WAITING_AT_LAST}, "database"),
        ({"database_activity": UNSEEN}, "unknown"),
        # What was imported may hold anything.
        ({"database_activity": UNSTAMPED}, "unknown"),
        ({"database_activity": IDLE}, "unknown"),
        ({"database_activity": {}}, "unknown"),
        # The target uses 60% of a core.
        ({"settings": {"limit_cpus": "0.7"}}, "target-cpu"),
        ({"environment": {"cores": "1"}}, "target-cpu"),
        ({"environment": {"cores": "many"}}, "unknown"),
        ({"ceilings": {"engine": 2000.0}}, "generator"),
        ({"ceilings": LINES, "database_activity": committing(10_000)}, "database"),
        ({"ceilings": LINES, "database_activity": committing(333)}, "unknown"),
        ({"ceilings": LINES}, "unknown"),
    ],
)
def test_the_bottleneck_is_told_from_what_the_runs_recorded(changes: dict[str, Any], kind: str) -> None:
    (contender,) = judge(comparison_of(run_of(**changes))).contenders
    assert contender.bottleneck.kind == kind
