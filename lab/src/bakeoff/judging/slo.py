"""Service level objectives: what a level must hold, as a person writes it: `p99<50ms,errors<0.1%`. Pure functions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low

from bakeoff.errors import UsageError
from bakeoff.results.histograms import LATENCIES
from bakeoff.results.run import Measured
from bakeoff.workload.plan import THRESHOLDS

ERRORS = "errors"
# With more failures than this, what a target does is not what the workload asks for.
RANKED_ERROR_SHARE = 0.001

_MS = {"us": 0.001, "µs": 0.001, "ms": 1.0, "s": 1000.0}
_OBJECTIVE = re.compile(r"([a-z0-9.]+)\s*(<=?)\s*(\d+(?:\.\d+)?)\s*([a-zµ%]*)")
_EXAMPLE = "p99<50ms,errors<0.1%"


@dataclass(frozen=True)
class Objective:
    """One figure and the limit that it must stay below, or `at_most` reach; latencies in ms, errors as a share.

    `words` are as written.
    """

    metric: str
    limit: float
    words: str
    at_most: bool = False

    def breaks(self, value: float) -> bool:
        """Whether a figure is too much."""
        return value > self.limit if self.at_most else value >= self.limit


@dataclass(frozen=True)
class Slo:
    """Objectives that must all hold."""

    objectives: Sequence[Objective]

    def __str__(self) -> str:
        return ",".join(objective.words for objective in self.objectives)


@dataclass(frozen=True)
class Figures:
    """The figures that objectives limit. A request that was scheduled and never sent is an error here."""

    latency_ms: Mapping[str, float]
    error_share: float


def parse_slo(text: str, flag: str = "--slo") -> Slo:
    """Objectives from text. Errors without a limit must stay below the documented threshold.

    A server that refuses everything at once would meet any latency.
    """
    objectives: list[Objective] = []
    for part in text.split(","):
        objective = _objective(part.strip(), text, flag)
        if any(other.metric == objective.metric for other in objectives):
            raise UsageError(f'{flag} is "{text}": it limits {objective.metric} twice. Leave one out.')
        objectives.append(objective)
    if not any(objective.metric == ERRORS for objective in objectives):
        objectives.append(_limited_errors())
    return Slo(tuple(objectives))


def documented_slo() -> Slo:
    """The documented thresholds as objectives."""
    limits = {"p95": THRESHOLDS.p95_ms, "p99": THRESHOLDS.p99_ms}
    latencies = [Objective(name, limit, f"{name}<{limit / 1000:g}s") for name, limit in limits.items()]
    return Slo((*latencies, _limited_errors()))


def ranking_slo() -> Slo:
    """The objectives of a level that carries a rank: the documented latencies, and hardly a failed request."""
    latencies = [each for each in documented_slo().objectives if each.metric != ERRORS]
    share = f"{ERRORS}<={RANKED_ERROR_SHARE * 100:g}%"
    return Slo((*latencies, Objective(ERRORS, RANKED_ERROR_SHARE, share, at_most=True)))


def broken(slo: Slo, figures: Figures) -> list[Objective]:
    """The objectives that do not hold."""
    values = {**figures.latency_ms, ERRORS: figures.error_share}
    return [objective for objective in slo.objectives if objective.breaks(values[objective.metric])]


def figures_of_phase(measured: Measured) -> Figures:
    """The figures of one phase of one run."""
    return figures_over([measured])


def figures_over(rounds: Sequence[Measured]) -> Figures:
    """The median round's latencies, and errors of all rounds together. Limits apply to any number of requests."""
    latencies = {name: median_low(part.latency.by_name[name] for part in rounds) for name in LATENCIES}
    requests, unsent = sum(part.requests for part in rounds), sum(part.unsent for part in rounds)
    return Figures(latencies, _error_share(requests, sum(part.estimated_failed for part in rounds), unsent))


def _objective(part: str, text: str, flag: str) -> Objective:
    match = _OBJECTIVE.fullmatch(part)
    if match is None:
        raise UsageError(f'{flag} is "{text}": "{part}" is not an objective. Write limits such as {_EXAMPLE}.')
    metric, sign, number, unit = match.groups()
    if metric not in (*LATENCIES, ERRORS):
        known = ", ".join((*LATENCIES, ERRORS))
        raise UsageError(f'{flag} is "{text}": unknown metric "{metric}". Metrics: {known}.')
    if metric == ERRORS:
        if unit != "%":
            raise UsageError(f'{flag} is "{text}": errors are limited in per cent, such as errors<0.1%.')
        limit = float(number) / 100
    elif unit in _MS:
        limit = float(number) * _MS[unit]
    else:
        raise UsageError(f'{flag} is "{text}": {metric} needs a unit: us, ms or s, such as {metric}<50ms.')
    at_most = sign == "<="
    if limit <= 0 and not (at_most and metric == ERRORS):
        raise UsageError(f'{flag} is "{text}": the limit of {metric} must be above zero.')
    return Objective(metric, limit, part.replace(" ", ""), at_most)


def _limited_errors() -> Objective:
    share = THRESHOLDS.error_rate
    return Objective(ERRORS, share, f"{ERRORS}<{share * 100:g}%")


def _error_share(requests: int, failed: float, unsent: int) -> float:
    scheduled = requests + unsent
    # Nothing was answered: no objective can hold.
    return (failed + unsent) / scheduled if scheduled else 1.0
