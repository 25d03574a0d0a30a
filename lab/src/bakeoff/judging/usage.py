"""What a contender used at its peak, and what share of the machine's limits that is. Pure functions."""

import contextlib
from collections.abc import Mapping, Sequence

from bakeoff.judging.bottleneck import Usage
from bakeoff.judging.entries import Entry
from bakeoff.judging.judgement import Level
from bakeoff.storage.history import StoredRun

# In a run's ceilings; every other name there is a reference line.
ENGINE = "engine"
# Reference lines are drawn with messages of this size.
_LINES_PAYLOAD = "default"


def reference_lines(runs: Sequence[StoredRun]) -> dict[str, float]:
    """Operations a second of each reference line, as the newest run that knows it was held against."""
    return {name: rate for run in runs for name, rate in run.result.ceilings.items() if name != ENGINE}


def ceiling_share(peak: Level | None, entry: Entry) -> float | None:
    """The peak as a share of what the engine can do, None without a calibration."""
    return _shares(peak, entry).get(ENGINE)


def reference_shares(peak: Level | None, entry: Entry) -> dict[str, float]:
    """The peak as shares of the reference lines; none for messages of a size that no line was drawn with."""
    if entry.newest.payload != _LINES_PAYLOAD:
        return {}
    return {name: share for name, share in _shares(peak, entry).items() if name != ENGINE}


def usage_at(peak: Level | None, levels: Sequence[Level], entry: Entry) -> Usage:
    """What explains the peak. Levels are in the order in which they were held."""
    if peak is None:
        return Usage({}, None)
    cpu = {role: cost.cpu_percent_mean.median for role, cost in peak.costs.items() if cost.cpu_percent_mean is not None}
    highest = max(levels, key=lambda level: level.virtual_users, default=peak)
    return Usage(
        cpu_percent=cpu,
        cores=_whole(entry.newest.environment, "cores"),
        ceiling_share=ceiling_share(peak, entry),
        reference_shares=reference_shares(peak, entry),
        pool_size=_whole(entry.newest.settings, "pool_size"),
        more_load_helps=0 < peak.virtual_users == highest.virtual_users,
    )


def _shares(peak: Level | None, entry: Entry) -> dict[str, float]:
    if peak is None:
        return {}
    ceilings = {name: rate for run in entry.runs for name, rate in run.result.ceilings.items()}
    return {name: peak.throughput_per_s.median / rate for name, rate in ceilings.items() if rate > 0}


def _whole(facts: Mapping[str, str], name: str) -> int | None:
    with contextlib.suppress(KeyError, ValueError):
        return int(facts[name])
    return None
