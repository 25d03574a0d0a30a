"""Windows of lasting load: their worst moments, PostgreSQL's upkeep in them, and what grew. Pure functions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bakeoff.results.database_activity import PhaseActivity
from bakeoff.results.mode_names import SUSTAINED
from bakeoff.results.run import PhaseResult, RunResult, Second


@dataclass(frozen=True)
class SustainedWindow:
    """One load over all rounds. The worst second is that of the worst round, upkeep that of the round with the least.

    Growth is the median of the rounds, per operation: rounds store different numbers. None: not counted.
    """

    load: str
    worst_second_per_s: int | None
    worst_second_p99_ms: float | None
    checkpoints: int | None
    autovacuums: int | None
    table_bytes_before: float | None
    table_bytes_each: float | None
    wal_bytes_each: float | None


def sustained_windows(runs: Iterable[RunResult]) -> list[SustainedWindow]:
    """Of each load of the runs of mode sustained, in their order; none of other modes."""
    by_number: dict[int, list[tuple[RunResult, PhaseResult]]] = {}
    for run in runs:
        for phase in run.phases if run.mode == SUSTAINED else ():
            by_number.setdefault(phase.number, []).append((run, phase))
    return [_window(own) for _, own in sorted(by_number.items())]


def lack_upkeep(runs: Iterable[RunResult]) -> bool:
    """Whether PostgreSQL ended neither a checkpoint nor an autovacuum in any window, as far as that was counted."""
    seen = [_seen(run, phase) for run in runs for phase in run.phases]
    counted = [each for each in seen if each.checkpoints is not None and each.autovacuums is not None]
    return bool(counted) and not any(each.checkpoints or each.autovacuums for each in counted)


def _window(rounds: Sequence[tuple[RunResult, PhaseResult]]) -> SustainedWindow:
    seconds = [each for run, phase in rounds for each in _whole_seconds(run.timeline, phase)]
    seen = [(_seen(run, phase), phase) for run, phase in rounds]
    activities = [activity for activity, _ in seen]
    return SustainedWindow(
        load=rounds[0][1].load,
        worst_second_per_s=min((each.operations for each in seconds), default=None),
        worst_second_p99_ms=max((each.p99_ms for each in seconds if each.p99_ms is not None), default=None),
        checkpoints=_least(each.checkpoints for each in activities),
        autovacuums=_least(each.autovacuums for each in activities),
        table_bytes_before=_median(each.table_bytes_before for each in activities),
        table_bytes_each=_median(_each(_growth(activity), phase) for activity, phase in seen),
        wal_bytes_each=_median(_each(activity.wal_bytes, phase) for activity, phase in seen),
    )


def _whole_seconds(timeline: Sequence[Second], phase: PhaseResult) -> list[Second]:
    """The last one may have been cut short."""
    own = [each for each in timeline if each.phase == phase.number]
    return own[: int(phase.measured.planned_s)]


def _seen(run: RunResult, phase: PhaseResult) -> PhaseActivity:
    phases: Mapping[str, PhaseActivity] = (run.database_activity.phases or {}) if run.database_activity else {}
    return phases.get(str(phase.number), PhaseActivity())


def _growth(activity: PhaseActivity) -> int | None:
    before, after = activity.table_bytes_before, activity.table_bytes_after
    return None if before is None or after is None else after - before


def _each(value: int | None, phase: PhaseResult) -> float | None:
    return None if value is None or not phase.measured.operations else value / phase.measured.operations


def _least(values: Iterable[int | None]) -> int | None:
    return min((each for each in values if each is not None), default=None)


def _median(values: Iterable[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return median(known) if known else None
