"""Findings about a comparison as a whole. Pure functions."""

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from bakeoff.judging.estimates import FEWEST_ROUNDS, holm, ratio_of
from bakeoff.judging.judgement import JudgedFinding
from bakeoff.judging.noise import round_effects
from bakeoff.judging.pairings import verdict_on
from bakeoff.judging.provenance import changed_between
from bakeoff.storage.stored_runs import StoredComparison, StoredRun

_DRIFT = 0.10
_SLOWER = 0.10
# A disk's latency varies more than a core's speed.
_SLOWER_DISK = 2.0
_MUST_NOT_CHANGE = ("commit", "cpu", "cores", "kernel", "database", "bakeoff")


def found(
    comparison: StoredComparison, rates: Sequence[Mapping[int, float]], aa_pairs: Sequence[Sequence[float]]
) -> list[JudgedFinding]:
    """All findings. `rates` are each contender's throughput by round, `aa_pairs` those of A/A pairs as log-ratios."""
    return [
        *_few_rounds(rates),
        *_drift(rates),
        *_throttled(comparison.runs),
        *_uneven_disk(comparison.runs),
        *_uneven_maintenance(comparison.runs),
        *_uneven_flushes(comparison.runs),
        *_aa_pairs(aa_pairs),
        *_changed(comparison.runs),
        *_uncommitted(comparison.runs),
        *_incomplete(comparison),
    ]


def _few_rounds(rates: Sequence[Mapping[int, float]]) -> Iterable[JudgedFinding]:
    most = max((len(each) for each in rates), default=0)
    if not rates or most >= FEWEST_ROUNDS:
        return
    yield JudgedFinding(
        "too-few-rounds",
        "warning",
        f"{'One round' if most == 1 else f'{most} rounds'} cannot separate a difference from chance.",
        f"Intervals need {FEWEST_ROUNDS} rounds and become narrower with more: --rounds 5.",
    )


def _drift(rates: Sequence[Mapping[int, float]]) -> Iterable[JudgedFinding]:
    """Rounds in which all contenders together were off: that is the machine's doing."""
    effects = round_effects(rates) if len(rates) > 1 else {}
    if len(effects) < 2:
        return
    slowest, fastest = min(effects, key=effects.__getitem__), max(effects, key=effects.__getitem__)
    change = math.expm1(effects[fastest] - effects[slowest])
    if change > _DRIFT:
        yield JudgedFinding(
            "drift",
            "warning",
            f"In round {fastest} all contenders together were {change:.0%} faster than in round {slowest}.",
            "Other processes used the machine, or its CPU throttled. Ratios are computed within rounds and remain "
            "valid; absolute figures do not. ./bakeoff doctor looks for the cause.",
            tuple(sorted({slowest, fastest})),
        )


def _throttled(runs: Sequence[StoredRun]) -> Iterable[JudgedFinding]:
    """Cores that were slower before one run than before another; runs that did not try say nothing."""
    states = [(run.result.round, state.speed_mb_s) for run in runs if (state := run.result.machine_state)]
    speeds = [(float(speed), number) for number, speed in states if speed]
    if not speeds:
        return
    (slowest, slow_round), (fastest, fast_round) = min(speeds), max(speeds)
    slower = 1 - slowest / fastest
    if slower > _SLOWER:
        where = "before one run than before another"
        if slow_round != fast_round:
            where = f"before a run of round {slow_round} than before one of round {fast_round}"
        yield JudgedFinding(
            "throttled",
            "warning",
            f"A core was {slower:.0%} slower {where}.",
            "Possible causes: heat, power saving, other virtual machines. Set the governor to performance, let the "
            "machine cool down, or add rounds.",
            tuple(sorted({slow_round, fast_round})),
        )


def _aa_pairs(pairs: Sequence[Sequence[float]]) -> Iterable[JudgedFinding]:
    """A/A pairs that surely differ, with Holm's correction over all pairs."""
    tests = [ratio_of(ratios) for ratios in pairs if ratios]
    for test, p_value in zip(tests, holm([test.p_value for test in tests]), strict=True):
        ratio = test.ratio
        if verdict_on(ratio, p_value, smallest_claim=None) in ("faster", "slower"):
            yield JudgedFinding(
                "aa-difference",
                "error",
                f"The two contenders of an A/A pair differ: {ratio.median:.3f}× ({ratio.low:.3f} to {ratio.high:.3f}).",
                "Either the lab favours one of them, or it is chance (one comparison of equals in twenty). Run it "
                "again with more rounds before you trust a difference of this size.",
            )


def _uneven_disk(runs: Sequence[StoredRun]) -> Iterable[JudgedFinding]:
    """A disk that took far longer for a flush around one run than around another."""
    states = [(run.result.round, state) for run in runs if (state := run.result.machine_state)]
    flushes = [
        (flush_ms, number)
        for number, state in states
        for flush_ms in (state.fsync_before_ms, state.fsync_after_ms)
        if flush_ms
    ]
    if not flushes:
        return
    (fastest, fast_round), (slowest, slow_round) = min(flushes), max(flushes)
    if slowest >= _SLOWER_DISK * fastest:
        yield JudgedFinding(
            "uneven-disk",
            "warning",
            f"A flush of the database's disk took {slowest:.2f} ms beside a run of round {slow_round}, and "
            f"{fastest:.2f} ms beside one of round {fast_round}.",
            "Another process or virtual machine uses the disk, or it throttles. Stop other work, or add rounds: "
            "durable writes cannot be faster than flushes.",
            tuple(sorted({fast_round, slow_round})),
        )


def _uneven_maintenance(runs: Sequence[StoredRun]) -> Iterable[JudgedFinding]:
    """Vacuums and checkpoints in the windows of some contenders of a round, and not of others."""
    struck: dict[tuple[int, str], dict[str, bool]] = {}
    for run in runs:
        activity = run.result.database_activity
        for phase, seen in ((activity and activity.phases) or {}).items():
            if seen.vacuum_s is not None and seen.checkpoint_s is not None:
                contenders = struck.setdefault((run.result.round, phase), {})
                contenders[run.result.contender or run.result.target] = seen.vacuum_s + seen.checkpoint_s > 0
    windows, rounds = _windows_of_some(struck)
    if rounds:
        yield JudgedFinding(
            "uneven-maintenance",
            "warning",
            f"A vacuum or a checkpoint fell into the windows of some contenders only: {windows}.",
            "It costs these windows CPU and disk that the others kept. Add rounds, or use longer phases, in which each "
            "contender meets it.",
            rounds,
        )


def _uneven_flushes(runs: Sequence[StoredRun]) -> Iterable[JudgedFinding]:
    """Windows whose flushes took far longer than the contender's usual ones, while others of the round had theirs.

    Contenders flush differently much at once, so that each is compared with itself.
    """
    times: dict[tuple[str, str], dict[int, float]] = {}
    for run in runs:
        activity = run.result.database_activity
        for phase, seen in ((activity and activity.phases) or {}).items():
            if seen.fsync_ms:
                key = run.result.contender or run.result.target
                times.setdefault((key, phase), {})[run.result.round] = seen.fsync_ms
    slow: dict[tuple[int, str], dict[str, bool]] = {}
    for (key, phase), by_round in times.items():
        if len(by_round) >= FEWEST_ROUNDS:
            usual = median(by_round.values())
            for number, flush_ms in by_round.items():
                slow.setdefault((number, phase), {})[key] = flush_ms >= _SLOWER_DISK * usual
    windows, rounds = _windows_of_some(slow)
    if rounds:
        yield JudgedFinding(
            "uneven-flushes",
            "warning",
            f"Flushes of the write-ahead log took {_SLOWER_DISK:g} times as long as usual in some windows: {windows}.",
            "The disk was slower there than for the others of the round. Stop what else uses it, or add rounds.",
            rounds,
        )


def _windows_of_some(struck: Mapping[tuple[int, str], Mapping[str, bool]]) -> tuple[str, tuple[int, ...]]:
    """The windows, by round and phase, that something struck for some contenders only: in words, and their rounds."""
    uneven = {place: each for place, each in struck.items() if 0 < sum(each.values()) < len(each)}
    windows = [
        f"{', '.join(key for key, is_struck in each.items() if is_struck)} in phase {phase} of round {number}"
        for (number, phase), each in sorted(uneven.items())
    ]
    more = f" and {len(windows) - 3} more" if len(windows) > 3 else ""
    return f"{'; '.join(windows[:3])}{more}", tuple(sorted({number for number, _ in uneven}))


def _changed(runs: Sequence[StoredRun]) -> Iterable[JudgedFinding]:
    # Two commits are compared on purpose.
    on_purpose = {name for run in runs for name in run.result.factors}
    changed = changed_between(runs, [name for name in _MUST_NOT_CHANGE if name not in on_purpose])
    if changed:
        yield JudgedFinding(
            "environment-changed",
            "warning",
            f"Different between runs: {', '.join(changed)}.",
            "Compare only runs of one checkout on one machine.",
        )


def _uncommitted(runs: Sequence[StoredRun]) -> Iterable[JudgedFinding]:
    if any(run.result.environment.get("uncommitted_changes") == "true" for run in runs):
        yield JudgedFinding(
            "uncommitted-changes",
            "info",
            "The checkout had uncommitted changes.",
            "These figures cannot be reproduced exactly: commit, then run it again for figures to keep.",
        )


def _incomplete(comparison: StoredComparison) -> Iterable[JudgedFinding]:
    if comparison.status in ("interrupted", "failed", "running"):
        yield JudgedFinding(
            "incomplete",
            "warning",
            f"The comparison is {comparison.status}: some contenders lack runs.",
            "./bakeoff run --resume runs what is missing.",
        )
