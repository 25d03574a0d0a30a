"""The search for a rate, over a target whose trials are made up."""

import re
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.capacity_lines import ratio_lines
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
    assert capacity.rate_per_s == pytest.approx(5300, rel=0.1)
    low, high = capacity.interval.low, capacity.interval.high
    assert low is not None and high is not None and low < capacity.rate_per_s < high


def test_targets_are_tried_in_turn_and_each_is_crashed_once(project: Project) -> None:
    limits = {TARGET: 5300.0, "ingest-grpc": 2000.0}
    tried: list[str] = []
    crashed: list[str] = []

    def compare(_project: Project, request: ComparisonRequest, _progress: Progress) -> Comparison:
        (name,), (rate,) = request.targets, request.rates
        tried.append(name)
        crashed.extend([name] if request.crashes else [])
        total = measured(rate, latency_ms=1.0 if rate <= limits[name] else 100.0)
        return Comparison(runs=[run_result(name, total=total)])

    both = replace(REQUEST, targets=list(limits))
    one, other = find_capacities(project, both, parse_slo("p99<50ms"), QUIET, compare)
    assert sorted(crashed) == sorted(limits)
    # Confirmations are pairs, in either order.
    pairs = list(zip(tried[-24::2], tried[-23::2], strict=True))
    assert all(set(pair) == set(limits) for pair in pairs)
    assert one.ratio_to(other).mean == pytest.approx(2.65, rel=0.15)
    (line,) = ratio_lines([one, other])
    assert re.fullmatch(rf"{TARGET} ÷ ingest-grpc: 2\.\d\d× \(95 % interval .* paired confirmations\)", line)


def test_what_speaks_against_the_limit_is_told(project: Project) -> None:
    late = Finding(KindName("generator-lagged"), "warning", "Requests left late.", "")
    capacity = find_capacities(project, REQUEST, parse_slo("p99<50ms"), QUIET, slow_above(5300.0, findings=[late]))[0]
    (found,) = capacity.findings
    assert found.finding == late
    assert found.rate_per_s == pytest.approx(5300, rel=0.25)


def test_a_target_that_keeps_nothing_has_no_rate(project: Project) -> None:
    capacity = find_capacities(project, REQUEST, parse_slo("p99<50ms"), QUIET, slow_above(0.0))[0]
    assert capacity.rate_per_s is None


def test_a_trial_that_measured_nothing_ends_the_search(project: Project) -> None:
    with pytest.raises(BakeoffError, match="The search ends here"):
        find_capacities(project, REQUEST, parse_slo("p99<50ms"), QUIET, slow_above(1.0, status=Status.FAILED))


def test_bad_objectives_name_themselves() -> None:
    with pytest.raises(UsageError, match="p98"):
        parse_slo("p98<50ms")
