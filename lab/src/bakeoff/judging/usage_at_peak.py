"""The resources that a contender, or a single run, used at its peak, and its bottleneck there. Pure functions."""

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from bakeoff.judging.bottleneck import PeakUsage, bottleneck_of
from bakeoff.judging.ceilings import limiting_lines, limits_of, operations_per_commit
from bakeoff.judging.contender_runs import ContenderRuns, counts
from bakeoff.judging.estimates import estimate_of_known
from bakeoff.judging.judgement import Bottleneck, JudgedRun, Level
from bakeoff.judging.measured_contender import MeasuredContender, measured_contender
from bakeoff.results.database_activity import DatabaseActivity, Sessions
from bakeoff.results.finding_kinds import LOAD_BOUND
from bakeoff.results.observed import database_figures, machine_figures
from bakeoff.results.run import RunResult
from bakeoff.storage.stored_runs import StoredRun


def usage_at(contender: MeasuredContender) -> PeakUsage:
    """The usage that explains the peak of the runs that count."""
    peak, newest = contender.peak, contender.runs.newest
    if peak is None:
        return PeakUsage({}, None)
    cpu = {role: cost.cpu_percent_mean.median for role, cost in peak.costs.items() if cost.cpu_percent_mean is not None}
    activities = [run.database_activity for run in contender.runs.counted.values() if run.database_activity]
    at_peak = [_seen_in(contender.peak_phase, activity) for activity in activities]
    limits = limits_of(newest, peak.throughput_per_s.median, commit_size_at_peak(contender))
    return PeakUsage(
        cpu_percent=cpu,
        cores=int(cores) if (cores := newest.environment.get("cores", "")).isdecimal() else None,
        target_cores=cores_of_target(newest.settings),
        ceiling_share=limits.ceiling_share,
        agents=limits.agents,
        limiting_lines=limiting_lines(limits.reference_shares, limits.operations_per_commit),
        waits=_mean_shares([seen.wait_shares for seen in at_peak]),
        active=_median(seen.active_backends_mean for seen in at_peak),
        sessions=max((seen.connections_peak or 0 for seen in at_peak), default=None),
        more_load_helped=_more_load_helped(contender.levels, peak),
    )


def _more_load_helped(levels: Sequence[Level], peak: Level) -> bool:
    """Whether the peak has the most users of all levels, and did more than the level with the next fewer.

    One level by itself shows nothing: its users may all wait for the target's own workers.
    """
    closed = sorted((level for level in levels if level.virtual_users), key=lambda level: level.virtual_users)
    if len(closed) < 2 or closed[-1].virtual_users != peak.virtual_users:
        return False
    return peak.throughput_per_s.median > (1 + LOAD_BOUND.limits[0]) * closed[-2].throughput_per_s.median


def commit_size_at_peak(contender: MeasuredContender) -> float | None:
    """Operations in each commit at the peak level, the median of the rounds."""
    return _median(operations_per_commit(run, contender.peak_phase) for run in contender.runs.counted.values())


def cores_of_target(settings: Mapping[str, str]) -> float | None:
    """The cores that the target may use: its limit, or as many as it is pinned to; None where it may use all."""
    pins = dict(part.split("=", 1) for part in settings.get("pin", "").split(",") if "=" in part)
    pinned = len(pins["target"].split("+")) if "target" in pins else math.inf
    limit = math.inf
    with contextlib.suppress(KeyError, ValueError):
        # "2", or "target=2,database=4".
        parts = [part.rpartition("=") for part in settings["limit_cpus"].split(",")]
        limit = next((float(cpus) for role, _, cpus in parts if role in ("", "target")), limit)
    cores = min(limit, pinned)
    return None if math.isinf(cores) else cores


def _seen_in(phase: int | None, activity: DatabaseActivity) -> Sessions:
    """The sessions in a phase; of runs without phases, in all."""
    return activity if activity.phases is None or phase is None else activity.phases.get(str(phase), Sessions())


def _mean_shares(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = {name for shares in rounds for name in shares}
    return {name: sum(shares.get(name, 0.0) for shares in rounds) / len(rounds) for name in names}


def _median(values: Iterable[float | None]) -> float | None:
    known = estimate_of_known(values)
    return None if known is None else known.median


def bottleneck_of_run(run: RunResult) -> Bottleneck | None:
    """The bottleneck in the run's fastest phase; None for a run that does not count: void, cut short or unanswered."""
    if not counts(run):
        return None
    return bottleneck_of(usage_at(measured_contender(ContenderRuns("", (), {run.round: run}))))


def judged_run(stored: StoredRun) -> JudgedRun:
    """One run by itself."""
    run = stored.result
    return JudgedRun(
        id=stored.id,
        round=run.round,
        status=run.status.value,
        failure=run.failure,
        bottleneck=bottleneck_of_run(run),
        database=database_figures(run),
        machine=machine_figures(run),
    )


def described_bottleneck(run: RunResult) -> dict[str, str] | None:
    """The same as JSON holds it."""
    bottleneck = bottleneck_of_run(run)
    return None if bottleneck is None else asdict(bottleneck)
