from typing import Any

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.usage_at_peak import bottleneck_of_run
from bakeoff.results.run import Status
from made_up import comparison_of, cost, measured, phase, run_of

BUSY = {"target": cost(150), "database": cost(20)}
IDLE = {"target": cost(20), "database": cost(30)}


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        # A single level shows nothing of a higher one.
        ({}, "unknown"),
        ({"throughputs": [500, 1000]}, "load"),
        ({"throughputs": [950, 1000]}, "unknown"),
        ({"throughputs": [1000, 900]}, "unknown"),
        ({"ceilings": {"engine": 2000.0}}, "generator"),
        ({"settings": {"limit_cpus": "0.7"}}, "target-cpu"),
        ({"phases": [phase(1, 10, measured(500, costs=IDLE)), phase(2, 50, measured(900, costs=BUSY))]}, "target-cpu"),
        ({"phases": [phase(1, 10, measured(900, costs=IDLE)), phase(2, 50, measured(500, costs=BUSY))]}, "unknown"),
        ({"number": 3}, "unknown"),
    ],
)
def test_a_run_s_own_bottleneck_is_what_a_contender_of_it_alone_has(changes: dict[str, Any], kind: str) -> None:
    run = run_of(**changes)
    found = bottleneck_of_run(run)
    assert found is not None and found.kind == kind
    assert found == judge(comparison_of(run)).contenders[0].bottleneck


def test_rounds_may_have_bottlenecks_of_their_own() -> None:
    calm, crowded = run_of(), run_of(number=2, phases=[phase(1, 10, measured(costs=BUSY))])
    assert [found and found.kind for found in map(bottleneck_of_run, (calm, crowded))] == ["unknown", "target-cpu"]


@pytest.mark.parametrize(
    "changes",
    [
        {"status": Status.VOID},
        {"status": Status.FAILED},
        {"status": Status.INTERRUPTED},
        {"phases": []},
        {"phases": [phase(1, 10, measured(0, requests=3, failed=3))]},
    ],
)
def test_a_run_that_does_not_count_has_none(changes: dict[str, Any]) -> None:
    assert bottleneck_of_run(run_of(**changes)) is None
