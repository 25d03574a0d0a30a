"""What a contender used at its peak. Pure functions."""

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence

from bakeoff.judging.bottleneck import Usage
from bakeoff.judging.entries import Entry
from bakeoff.judging.estimates import estimate_of_known
from bakeoff.judging.judgement import Level
from bakeoff.judging.limits import limiting_lines, limits_of


def usage_at(peak: Level | None, levels: Sequence[Level], entry: Entry) -> Usage:
    """What explains the peak. Levels are in the order in which they were held."""
    if peak is None:
        return Usage({}, None)
    cpu = {role: cost.cpu_percent_mean.median for role, cost in peak.costs.items() if cost.cpu_percent_mean is not None}
    activities = [run.database_activity for run in entry.counted.values() if run.database_activity]
    limits = limits_of(entry.newest, peak.throughput_per_s.median)
    highest = max(levels, key=lambda level: level.virtual_users, default=peak)
    return Usage(
        cpu_percent=cpu,
        cores=_whole(entry.newest.environment, "cores"),
        api_cores=cores_of_api(entry.newest.settings),
        ceiling_share=limits.ceiling_share,
        limiting_lines=limiting_lines(
            limits.reference_shares, _median(activity.get("operations_per_commit") for activity in activities)
        ),
        waits=_mean_shares([activity.get("wait_shares", {}) for activity in activities]),
        active=_median(activity.get("active_backends_mean") for activity in activities),
        sessions=max((activity.get("connections_peak") or 0 for activity in activities), default=None),
        more_load_helps=0 < peak.virtual_users == highest.virtual_users,
    )


def cores_of_api(settings: Mapping[str, str]) -> float | None:
    """The cores that the target may use: its limit, or as many as it is pinned to; None where it may use all."""
    pins = dict(part.split("=", 1) for part in settings.get("pin", "").split(",") if "=" in part)
    pinned = len(pins["api"].split("+")) if "api" in pins else math.inf
    cores = min(float(settings.get("limit_cpus", math.inf)), pinned)
    return None if math.isinf(cores) else cores


def _mean_shares(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = {name for shares in rounds for name in shares}
    return {name: sum(shares.get(name, 0.0) for shares in rounds) / len(rounds) for name in names}


def _median(values: Iterable[float | None]) -> float | None:
    known = estimate_of_known(values)
    return None if known is None else known.median


def _whole(facts: Mapping[str, str], name: str) -> int | None:
    with contextlib.suppress(KeyError, ValueError):
        return int(facts[name])
    return None
