"""Findings about a comparison as a whole. Pure functions."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from bakeoff.judging.estimates import FEWEST_ROUNDS
from bakeoff.judging.judgement import Pairing
from bakeoff.judging.noise import round_effects
from bakeoff.judging.verdict import times
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.database_activity import PhaseActivity
from bakeoff.results.findings import JudgedFinding
from bakeoff.storage.stored_runs import StoredComparison, StoredRun
from bakeoff.text.prose import listed

_MUST_NOT_CHANGE = ("commit", "cpu", "cores", "kernel", "database", "bakeoff")


def found(
    comparison: StoredComparison,
    rates: Sequence[Mapping[int, float]],
    aa_pairs: Sequence[Pairing | None],
    labels: Mapping[int, str],
) -> list[JudgedFinding]:
    """All findings. `rates` are each contender's throughput by round, `labels` the contenders by the ids of runs."""
    return [
        *_few_rounds(rates),
        *_drift(rates),
        *_machine(comparison.runs),
        *_uneven_maintenance(comparison.runs, labels),
        *_uneven_flushes(comparison.runs, labels),
        *_aa_pairs(aa_pairs),
        *_conditions(comparison),
    ]


def _few_rounds(rates: Sequence[Mapping[int, float]]) -> Iterable[JudgedFinding]:
    most = max((len(each) for each in rates), default=0)
    if rates and most < FEWEST_ROUNDS:
        rounds = "One round" if most == 1 else f"{most} rounds"
        yield kinds.TOO_FEW_ROUNDS.judged(rounds=rounds, fewest=FEWEST_ROUNDS)


def _drift(rates: Sequence[Mapping[int, float]]) -> Iterable[JudgedFinding]:
    """Rounds in which all contenders together were slower: the machine was."""
    effects = round_effects(rates) if len(rates) > 1 else {}
    if len(effects) < 2:
        return
    slowest, fastest = min(effects, key=effects.__getitem__), max(effects, key=effects.__getitem__)
    change = math.expm1(effects[fastest] - effects[slowest])
    if change > kinds.DRIFT.limits[0]:
        yield kinds.DRIFT.judged(_both(slowest, fastest), fastest=fastest, change=change, slowest=slowest)


def _both(one: int, other: int) -> tuple[int, ...]:
    return tuple(sorted({one, other}))


def _machine(runs: Sequence[StoredRun]) -> Iterable[JudgedFinding]:
    """Cores that were slower before one run than before another, and a disk that took far longer for a flush.

    Runs that did not probe them do not count.
    """
    states = [(run.result.round, state) for run in runs if (state := run.result.machine_state)]
    if speeds := [(state.speed_mb_s, number) for number, state in states if state.speed_mb_s]:
        (slowest_mb_s, slow), (fastest_mb_s, fast) = min(speeds), max(speeds)
        slower, where = 1 - slowest_mb_s / fastest_mb_s, "before one run than before another"
        if slow != fast:
            where = f"before a run of round {slow} than before one of round {fast}"
        if slower > kinds.THROTTLED.limits[0]:
            yield kinds.THROTTLED.judged(_both(slow, fast), slower=slower, where=where)
    probes = [(number, (state.fsync_before_ms, state.fsync_after_ms)) for number, state in states]
    if flushes := [(flush_ms, number) for number, both in probes for flush_ms in both if flush_ms]:
        (fastest, fast), (slowest, slow) = min(flushes), max(flushes)
        if slowest >= kinds.UNEVEN_DISK.limits[0] * fastest:
            yield kinds.UNEVEN_DISK.judged(_both(fast, slow), slowest=slowest, slow=slow, fastest=fastest, fast=fast)


def _aa_pairs(pairs: Sequence[Pairing | None]) -> Iterable[JudgedFinding]:
    """A/A pairs that surely differ."""
    for pair in pairs:
        if pair is not None and pair.verdict in ("faster", "slower"):
            yield kinds.AA_DIFFERENCE.judged(ratio=times(pair.ratio))


def _uneven_maintenance(runs: Sequence[StoredRun], labels: Mapping[int, str]) -> Iterable[JudgedFinding]:
    """Vacuums and checkpoints in the windows of some contenders of a round, and not of others."""
    affected: dict[tuple[int, str], dict[str, bool]] = {}
    for key, place, during in _windows(runs, labels):
        if during.vacuum_s is not None and during.checkpoint_s is not None:
            affected.setdefault(place, {})[key] = during.vacuum_s + during.checkpoint_s > 0
    windows, rounds = _of_some(affected)
    if rounds:
        yield kinds.UNEVEN_MAINTENANCE.judged(rounds, windows=windows)


def _uneven_flushes(runs: Sequence[StoredRun], labels: Mapping[int, str]) -> Iterable[JudgedFinding]:
    """Windows in which flushes took far longer than the contender's usual ones, and not those of all contenders.

    The load decides how long a flush takes, so each contender is compared with itself.
    """
    times: dict[tuple[str, str], dict[int, float]] = {}
    for key, (number, load), during in _windows(runs, labels):
        if during.fsync_ms:
            times.setdefault((key, load), {})[number] = during.fsync_ms
    slow: dict[tuple[int, str], dict[str, bool]] = {}
    for (key, load), by_round in times.items():
        longest_ms = kinds.UNEVEN_FLUSHES.limits[0] * median(by_round.values())
        for number, flush_ms in by_round.items() if len(by_round) >= FEWEST_ROUNDS else ():
            slow.setdefault((number, load), {})[key] = flush_ms >= longest_ms
    windows, rounds = _of_some(slow)
    if rounds:
        yield kinds.UNEVEN_FLUSHES.judged(rounds, windows=windows)


def _windows(
    runs: Sequence[StoredRun], labels: Mapping[int, str]
) -> Iterator[tuple[str, tuple[int, str], PhaseActivity]]:
    """PostgreSQL activity in each window, with its contender, and its round and load."""
    for stored in runs:
        run = stored.result
        phases = {} if run.database_activity is None else run.database_activity.phases or {}
        loads = {str(each.number): each.load for each in run.phases}
        for phase, during in phases.items():
            yield labels[stored.id], (run.round, loads.get(phase, f"phase {phase}")), during


def _of_some(affected: Mapping[tuple[int, str], Mapping[str, bool]]) -> tuple[str, tuple[int, ...]]:
    """Windows, by round and load, that were affected for some contenders only: as text, and their rounds."""
    uneven = {place: each for place, each in affected.items() if 0 < sum(each.values()) < len(each)}
    windows = [
        f"{listed([key for key, is_affected in each.items() if is_affected])} at {load} in round {number}"
        for (number, load), each in sorted(uneven.items())
    ]
    more = f" and {len(windows) - 3} more" if len(windows) > 3 else ""
    return f"{'; '.join(windows[:3])}{more}", tuple(sorted({number for number, _ in uneven}))


def _conditions(comparison: StoredComparison) -> Iterable[JudgedFinding]:
    """Facts that differ between runs but for those that are compared on purpose, and whether runs are missing."""
    environments = [run.result.environment for run in comparison.runs]
    on_purpose = {name for run in comparison.runs for name in run.result.factors}
    names = [name for name in _MUST_NOT_CHANGE if name not in on_purpose]
    if changed := [name for name in names if len({each.get(name) for each in environments}) > 1]:
        yield kinds.ENVIRONMENT_CHANGED.judged(changed=", ".join(changed))
    if any(each.get("uncommitted_changes") == "true" for each in environments):
        yield kinds.UNCOMMITTED_CHANGES.judged()
    if comparison.status in ("interrupted", "failed", "running"):
        yield kinds.INCOMPLETE.judged(status=comparison.status)
