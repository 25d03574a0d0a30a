"""The search for a rate, over a target whose trials are made up."""

from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.rate_search import find_capacities
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.judging.slo import parse_slo
from bakeoff.project import Project
from bakeoff.results.findings import Finding, KindName
from bakeoff.results.run import Status
from bakeoff.running.progress import Progress
from made_up import measured, run_result

TARGET = "ingest-rest"
REQUEST = ComparisonRequest("rate", "./bakeoff run rate", targets=[TARGET], rates=[1000.0])
QUIET = PlainProgress(Console(quiet=True))


def slow_above(limit_per_s: float, **changes: Any) -> Any:
    """A way to compare in which latency jumps where the rate passes a limit."""

    def compare(_project: Project, request: ComparisonRequest, _progress: Progress) -> Comparison:
        rate = request.rates[0]
        total = measured(rate, latency_ms=1.0 if rate <= limit_per_s else 100.0)
        return Comparison(runs=[replace(run_result(TARGET, total=total), **changes)])

    return compare


def test_the_limit_is_found_to_within_a_twentieth(project: Project) -> None:
    capacity = find_capacities(project, REQUEST, parse_slo("p99<50ms"), QUIET, slow_above(5300.0))[0]
    assert capacity.target == TARGET
    assert capacity.rate_per_s is not None
    assert 5300 / 1.05 <= capacity.rate_per_s <= 5300


def test_what_speaks_against_the_limit_is_told(project: Project) -> None:
    late = Finding(KindName("generator-lagged"), "warning", "Requests left late.", "")
    capacity = find_capacities(project, REQUEST, parse_slo("p99<50ms"), QUIET, slow_above(5300.0, findings=[late]))[0]
    below, above = capacity.findings
    assert below.finding == above.finding == late
    assert below.rate_per_s == capacity.rate_per_s is not None
    assert above.rate_per_s > 5300


def test_a_target_that_keeps_nothing_has_no_rate(project: Project) -> None:
    capacity = find_capacities(project, REQUEST, parse_slo("p99<50ms"), QUIET, slow_above(0.0))[0]
    assert capacity.rate_per_s is None


def test_a_trial_that_measured_nothing_ends_the_search(project: Project) -> None:
    with pytest.raises(BakeoffError, match="The search ends here"):
        find_capacities(project, REQUEST, parse_slo("p99<50ms"), QUIET, slow_above(1.0, status=Status.FAILED))


def test_bad_objectives_name_themselves() -> None:
    with pytest.raises(UsageError, match="p98"):
        parse_slo("p98<50ms")
