"""Load levels of a contender as entries of the report's data, with the resource figures that the documents ask for."""

from collections.abc import Mapping

from bakeoff.judging.judgement import (
    LATENCIES,
    Contender,
    CostEstimate,
    Estimate,
    GaugeEstimate,
    Level,
    OperationLevel,
)
from bakeoff.judging.levels import ALL_PHASES
from bakeoff.reporting.estimate_entries import figure, figure_or_none
from bakeoff.reporting.memory_shares import memory_percent
from bakeoff.reporting.numbers import rounded
from bakeoff.reporting.shape import CostFigures, GaugeFigures, LevelFigures, OperationFigures
from bakeoff.results.run import ROLES


def level_figures(level: Level, environment: Mapping[str, str]) -> LevelFigures:
    own = level.costs.get("target")
    return {
        "name": level.name,
        "load": load_of(level),
        "users": level.virtual_users,
        "arrival_rate_per_s": level.arrival_rate_per_s,
        "duration_s": rounded(level.duration_s),
        "requests": level.requests,
        "failed": level.failed,
        "unsent": level.unsent,
        "errors": dict(level.errors),
        "throughput_per_s": figure(level.throughput_per_s),
        "error_rate": figure(level.error_rate),
        "latency_ms": {name: figure(level.latency_ms[name]) for name in LATENCIES if name in level.latency_ms},
        "costs": {role: _cost(level.costs[role], role, environment) for role in ROLES if role in level.costs},
        "processes": {name: _cost(each, "target", environment) for name, each in level.processes.items()},
        "gauges": {name: _gauge(each) for name, each in level.gauges.items()},
        "cpu_percent_s_each": _spent_each(None if own is None else own.cpu_percent_mean, level),
        "memory_mb_s_each": _spent_each(None if own is None else own.memory_mean_mb, level),
        "sent_bytes_per_s": figure_or_none(level.sent_bytes_per_s),
        "received_bytes_per_s": figure_or_none(level.received_bytes_per_s),
        "statuses": level.statuses,
        "operations": {name: _operation(each) for name, each in level.operations.items()},
    }


def _operation(each: OperationLevel) -> OperationFigures:
    return {
        "requests": each.requests,
        "failed": each.failed,
        "checked": each.checked,
        "checks_failed": each.checks_failed,
        "errors": dict(each.errors),
        "statuses": dict(each.statuses),
        "throughput_per_s": figure(each.throughput_per_s),
        "error_rate": figure(each.error_rate),
        "latency_ms": {name: figure(each.latency_ms[name]) for name in LATENCIES},
    }


def best_level(contender: Contender) -> Level | None:
    """The level that a contender is ranked by; None where nothing was answered."""
    level = contender.level_at_peak
    return level if level is not None and level.requests > level.failed else None


def optimal_level(contender: Contender) -> Level | None:
    """The level of optimal parallelism; where none is known, the one at which it does most."""
    optimal = [
        level for level in contender.levels if level.virtual_users and level.virtual_users == contender.optimal_users
    ]
    return optimal[0] if optimal else best_level(contender)


def load_of(level: Level) -> str:
    """The load that was held, in words."""
    if level.load:
        return level.load
    return "all phases" if level.name == ALL_PHASES else level.name


def _cost(cost: CostEstimate, role: str, environment: Mapping[str, str]) -> CostFigures:
    return {
        "cpu_us_each": figure_or_none(cost.cpu_us_each),
        "cpu_percent_mean": figure_or_none(cost.cpu_percent_mean),
        "cpu_percent_peak": figure_or_none(cost.cpu_percent_peak),
        "memory_mean_mb": figure(cost.memory_mean_mb),
        "memory_peak_mb": figure(cost.memory_peak_mb),
        "pss_peak_mb": figure_or_none(cost.pss_peak_mb),
        "memory_mean_percent": _share(cost.memory_mean_mb, role, environment),
        "memory_peak_percent": _share(cost.memory_peak_mb, role, environment),
    }


def _gauge(gauge: GaugeEstimate) -> GaugeFigures:
    return {"unit": gauge.unit, "mean": figure(gauge.mean), "maximum": figure(gauge.maximum)}


def _share(megabytes: Estimate, role: str, environment: Mapping[str, str]) -> float | None:
    percent = memory_percent(megabytes.median * 1e6, role, environment)
    return None if percent is None else rounded(percent)


def _spent_each(mean: Estimate | None, level: Level) -> float | None:
    """A mean × seconds ÷ requests."""
    return None if mean is None or not level.requests else rounded(mean.median * level.duration_s / level.requests, 4)
