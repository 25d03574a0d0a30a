"""Load levels of a contender as entries of the report's data, with the resource figures that the documents ask for."""

from collections.abc import Mapping

from bakeoff.judging.judgement import LATENCIES, Contender, CostEstimate, Estimate, Level
from bakeoff.judging.levels import ALL_PHASES
from bakeoff.reporting.figures import figure, figure_or_none
from bakeoff.reporting.numbers import count, rounded
from bakeoff.reporting.shape import CostFigures, LevelFigures
from bakeoff.results.run import ROLES


def level_figures(level: Level, environment: Mapping[str, str]) -> LevelFigures:
    api = level.costs.get("api")
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
        "costs": {role: _cost(level.costs[role], environment) for role in ROLES if role in level.costs},
        "cpu_percent_s_each": _spent_each(None if api is None else api.cpu_percent_mean, level),
        "memory_mb_s_each": _spent_each(None if api is None else api.memory_mean_mb, level),
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
    if level.arrival_rate_per_s is not None:
        return f"{count(level.arrival_rate_per_s)}/s"
    if level.virtual_users:
        return f"{count(level.virtual_users)} user{'' if level.virtual_users == 1 else 's'}"
    return "all phases" if level.name == ALL_PHASES else level.name


def _cost(cost: CostEstimate, environment: Mapping[str, str]) -> CostFigures:
    return {
        "cpu_us_each": figure_or_none(cost.cpu_us_each),
        "cpu_percent_mean": figure_or_none(cost.cpu_percent_mean),
        "cpu_percent_peak": figure_or_none(cost.cpu_percent_peak),
        "memory_mean_mb": figure(cost.memory_mean_mb),
        "memory_peak_mb": figure(cost.memory_peak_mb),
        "pss_peak_mb": figure_or_none(cost.pss_peak_mb),
        "memory_mean_percent": _of_machine(cost.memory_mean_mb, environment),
        "memory_peak_percent": _of_machine(cost.memory_peak_mb, environment),
    }


def _of_machine(megabytes: Estimate, environment: Mapping[str, str]) -> float | None:
    try:
        machine_mb = float(environment["memory_mib"]) * 2**20 / 1e6
    except (KeyError, ValueError):
        return None
    return rounded(100 * megabytes.median / machine_mb) if machine_mb > 0 else None


def _spent_each(mean: Estimate | None, level: Level) -> float | None:
    """A mean × seconds ÷ requests."""
    return None if mean is None or not level.requests else rounded(mean.median * level.duration_s / level.requests, 4)
