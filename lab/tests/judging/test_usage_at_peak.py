from typing import Any

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.usage import cores_of_api
from made_up import comparison_of, measured, phase, run_of


@pytest.mark.parametrize(
    ("settings", "cores"),
    [
        ({}, None),
        ({"limit_cpus": "1.5"}, 1.5),
        ({"pin": "api=0+1,database=2"}, 2),
        ({"pin": "database=2"}, None),
        ({"pin": "api=0+1", "limit_cpus": "0.5"}, 0.5),
        ({"pin": "api=0", "limit_cpus": "4"}, 1),
    ],
)
def test_the_cores_that_a_target_may_use(settings: dict[str, str], cores: float | None) -> None:
    assert cores_of_api(settings) == cores


WAITING = {"active_backends_mean": 1.8, "connections_peak": 2, "wait_shares": {"IO:WalSync": 0.8, "CPU": 0.2}}
CROWDED = {"active_backends_mean": 9.5, "connections_peak": 10, "wait_shares": {"CPU": 1.0}}
# The run does 1,000/s.
LINES = {"one upsert per event": 1050.0, "batches of 500": 10_000.0}
IDLE: dict[str, Any] = {"active_backends_mean": None, "connections_peak": None, "wait_shares": {}}


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "load"),
        ({"throughputs": [1000, 900]}, "unknown"),
        # In the open model the load is what it was meant to be.
        ({"phases": [phase(1, 64, measured(1000), 1000.0)]}, "unknown"),
        ({"database_activity": WAITING}, "database"),
        ({"database_activity": CROWDED}, "pool"),
        ({"database_activity": IDLE}, "load"),
        ({"database_activity": {}}, "load"),
        # The target uses 60% of a core.
        ({"settings": {"limit_cpus": "0.7"}}, "api-cpu"),
        ({"environment": {"cores": "1"}}, "api-cpu"),
        ({"environment": {"cores": "many"}}, "unknown"),
        ({"ceilings": {"engine": 2000.0}}, "generator"),
        ({"ceilings": LINES, "database_activity": {"operations_per_commit": 1.0}}, "database"),
        ({"ceilings": LINES, "database_activity": {"operations_per_commit": 30.0}}, "load"),
        ({"ceilings": LINES}, "load"),
    ],
)
def test_the_bottleneck_is_told_from_what_the_runs_recorded(changes: dict[str, Any], kind: str) -> None:
    (contender,) = judge(comparison_of(run_of(**changes))).contenders
    assert contender.bottleneck.kind == kind
