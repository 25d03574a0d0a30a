"""Findings about one contender, from all of its runs. Pure functions."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bakeoff.judging.capacity import saturation_of
from bakeoff.judging.ceilings import agents_of
from bakeoff.judging.contender_runs import AA_FACTOR, ContenderRuns, counts
from bakeoff.judging.drift import Drift
from bakeoff.judging.judgement import JudgedContender
from bakeoff.judging.slo import RANKED_ERROR_SHARE, ranking_slo
from bakeoff.judging.table_growth import growth_in
from bakeoff.judging.windows import ALL_WELL, Windows
from bakeoff.options.table import PLACEMENT
from bakeoff.options.variant import Variant
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.findings import SEVERITIES, Finding, JudgedFinding
from bakeoff.results.mode_names import SATURATION
from bakeoff.results.run import RunResult, Status
from bakeoff.results.statements import STATEMENTS, from_fact
from bakeoff.text.digits import rate
from bakeoff.text.prose import merged

# Bytes of the reply to a PING frame, which some servers (grpc-go) send with each call.
_CONTROL_BYTES = {"grpc": 17}
# The levels of the load that a run's settings record; the contenders of an A/A pair differ in the number alone.
_LOAD_LEVELS = sorted(Variant().levels().keys() - {AA_FACTOR, *PLACEMENT})
_NO_CONNECTION = ("ports_exhausted", "descriptors_exhausted", "connect_timeout", "refused", "unreachable")

_BOTTLENECKS = {
    "target-cpu": kinds.CPU_BOUND,
    "database": kinds.DATABASE_BOUND,
    "pool": kinds.POOL_BOUND,
    "machine": kinds.MACHINE_BOUND,
    "load": kinds.LOAD_BOUND,
}


def found(
    runs: ContenderRuns,
    contender: JudgedContender,
    peers: Sequence[ContenderRuns],
    rounds: int,
    drift: Drift | None,
    windows: Windows = ALL_WELL,
) -> list[JudgedFinding]:
    """All findings, the gravest first. `peers` are the runs of all contenders, `rounds` those that were planned."""
    findings = [
        *_carried(runs),
        *_ends(runs),
        *_connections(runs),
        *_table_growth(runs),
        *([] if runs.lost_in else _without_rank(contender)),
        *_trends(windows),
        *_drifted(drift, contender.settings),
        *_rounds_apart(runs, contender, rounds),
        *_payload(runs, peers),
        *_statements(runs, peers),
        *_limits(contender),
        *_saturation(runs.newest.mode, contender),
    ]
    known: dict[str, JudgedFinding] = {}
    for finding in findings:
        known.setdefault(finding.kind, finding)
    return sorted(known.values(), key=lambda finding: -SEVERITIES.index(finding.severity))


def _carried(runs: ContenderRuns) -> list[JudgedFinding]:
    """The findings of the runs, each kind once, with the rounds that have it.

    Its message is that of the gravest, with the figures of all that are as grave where these alone differ.
    """
    grouped: dict[str, list[tuple[int, Finding]]] = {}
    for run in runs.all:
        for finding in run.result.findings:
            grouped.setdefault(finding.kind, []).append((run.result.round, finding))
    return [_together(findings) for findings in grouped.values()]


def _together(findings: Sequence[tuple[int, Finding]]) -> JudgedFinding:
    _, gravest = max(findings, key=lambda item: SEVERITIES.index(item[1].severity))
    rounds = tuple(sorted({number for number, _ in findings}))
    message = merged([each.message for _, each in findings if each.severity == gravest.severity]) or gravest.message
    return JudgedFinding(gravest.kind, gravest.severity, message, gravest.advice, rounds)


def _ends(runs: ContenderRuns) -> Iterable[JudgedFinding]:
    """Runs that ended early, void ones without a finding, and runs without a good reply."""
    results = [run.result for run in runs.all]
    if early := [run for run in results if run.status in (Status.FAILED, Status.INTERRUPTED)]:
        reason = next((run.failure for run in early if run.failure), "it was interrupted.")
        if any(run.status is Status.FAILED for run in early):
            yield kinds.EARLY_END.judged(_rounds(early), reason=reason, logs=_logs(early))
        else:
            yield kinds.INTERRUPTED.judged(_rounds(early), reason=reason)
    if void := [run for run in results if run.status is Status.VOID and not _names_why(run)]:
        yield kinds.VOID_ROUNDS.judged(_rounds(void))
    if silent := [run for run in results if run.status is Status.COMPLETED and not counts(run)]:
        yield kinds.NO_SUCCESSFUL_REQUESTS.judged(_rounds(silent), logs=_logs(silent))


def _names_why(run: RunResult) -> bool:
    return any(finding.kind in kinds.VOIDING for finding in run.findings)


def _logs(runs: Sequence[RunResult]) -> str:
    """The paths of their logs, after a comma; empty where the lab has none."""
    return "".join(f", {log}" for run in runs if (log := run.environment.get("target_log")) is not None)


def _without_rank(contender: JudgedContender) -> Iterable[JudgedFinding]:
    """A contender that was measured and has no rank."""
    if contender.indicative:
        yield kinds.INDICATIVE.judged(reasons="; ".join(contender.indicative))
    elif contender.rank is None and contender.peak_throughput_per_s is not None:
        yield kinds.NO_LEVEL_KEPT.judged(objectives=ranking_slo(), failing=_failing(contender))


def _failing(contender: JudgedContender) -> str:
    """The failed fraction at its best load, by operation where the engine divided them."""
    level = contender.level_at_peak
    if level is None or level.failed_share <= RANKED_ERROR_SHARE:
        return ""
    rates = {name: each.error_rate.median for name, each in level.operations.items()}
    parts = [f"{name} {100 * rate:.3g}%" for name, rate in rates.items() if rate > RANKED_ERROR_SHARE]
    named = f" ({', '.join(parts)})" if parts else ""
    return f" At its best load {100 * level.failed_share:.3g}% of its requests failed{named}."


def _connections(runs: ContenderRuns) -> Iterable[JudgedFinding]:
    """Connections that the machine or the target's backlog refused; those to a target that died show only that."""
    results = [run.result for run in runs.all if run.result.status is not Status.FAILED]
    all_errors = {run.round: run.total.errors for run in results if run.total is not None}
    failed = {
        number: {kind: errors[kind] for kind in _NO_CONNECTION if kind in errors}
        for number, errors in all_errors.items()
        if not errors.keys().isdisjoint(_NO_CONNECTION)
    }
    if failed:
        worst = max(failed.values(), key=lambda errors: sum(errors.values()))
        counted = ", ".join(f"{count:,} × {kind}" for kind, count in worst.items())
        yield kinds.CONNECTION_EXHAUSTION.judged(tuple(failed), kinds=counted)


def _table_growth(runs: ContenderRuns) -> Iterable[JudgedFinding]:
    """A decline that the inserted rows explain, not the load."""
    grown = growth_in(runs.counted.values())
    if grown:
        worst = min(grown.values(), key=lambda growth: growth.change)
        yield kinds.TABLE_GROWTH.judged(tuple(grown), fall=-worst.change, rows=worst.rows, within=worst.within_phases)


def _trends(windows: Windows) -> Iterable[JudgedFinding]:
    if windows.biased:
        yield kinds.TREND.judged(tuple(sorted(windows.biased)), **_changed(max(windows.biased.values(), key=abs)))


def _changed(change: float) -> dict[str, str | float]:
    return {"direction": "rose" if change > 0 else "fell", "change": abs(change)}


def _drifted(drift: Drift | None, settings: Mapping[str, str]) -> Iterable[JudgedFinding]:
    """A contender that changed from round to round, as the others did not."""
    if drift is not None:
        kind = kinds.ATTACHED_DRIFT if "attached" in settings else kinds.CONTENDER_DRIFT
        others, alone = "", " A change of the machine looks the same: measure another target in the same comparison."
        if drift.against_others:
            others, alone = ", relative to the other contenders", ""
        yield kind.judged(first=drift.first, last=drift.last, others=others, if_alone=alone, **_changed(drift.change))


def _rounds_apart(runs: ContenderRuns, contender: JudgedContender, rounds: int) -> Iterable[JudgedFinding]:
    """Rounds that are missing, and those that differ much, whatever the reason."""
    missing = sorted(set(range(1, rounds + 1)) - set(runs.counted))
    if missing and runs.counted:
        yield kinds.MISSING_ROUNDS.judged(tuple(missing), valid=len(runs.counted), rounds=rounds)
    peak = contender.peak_throughput_per_s
    if peak is None or len(peak.values) < 2 or peak.median <= 0:
        return
    spread = float(np.std(peak.values, ddof=1)) / peak.median
    if spread > kinds.HIGH_VARIANCE.limits[0]:
        yield kinds.HIGH_VARIANCE.judged(spread=spread, lowest=rate(min(peak.values)), highest=rate(max(peak.values)))


def _payload(runs: ContenderRuns, peers: Sequence[ContenderRuns]) -> Iterable[JudgedFinding]:
    """A contender that was sent more or fewer bytes per request than others with the same load."""
    own = _bytes_each(runs)
    alike = [_bytes_each(peer) for peer in peers if _load_of(peer) == _load_of(runs)]
    known = [size for size in alike if size is not None]
    if own is None or len(known) < 2:
        return
    usual = float(np.median(known))
    allowed = usual * kinds.PAYLOAD_MISMATCH.limits[0] + _CONTROL_BYTES.get(runs.newest.protocol, 0)
    if abs(own - usual) > allowed:
        yield kinds.PAYLOAD_MISMATCH.judged(own=own, usual=usual)


def _statements(runs: ContenderRuns, peers: Sequence[ContenderRuns]) -> Iterable[JudgedFinding]:
    """Operations for which it sends more statements than the leanest contender of its division."""
    own_division = [peer for peer in peers if peer.division == runs.division]
    stated = [from_fact(peer.newest.environment.get(STATEMENTS)) for peer in own_division]
    own = from_fact(runs.newest.environment.get(STATEMENTS))
    fewest = {name: min(each[name].statements for each in stated if name in each) for name in own}
    more = [(each.statements, fewest[name]) for name, each in own.items() if each.statements > fewest[name]]
    if more:
        most, least = max(more, key=lambda pair: (pair[0] - pair[1], pair[0]))
        yield kinds.MORE_STATEMENTS.judged(more=len(more), operations=len(own), most=most, least=least)


def _load_of(runs: ContenderRuns) -> tuple[object, ...]:
    """The settings that decide which bytes a contender is sent."""
    newest = runs.newest
    levels = (newest.settings.get(name) for name in _LOAD_LEVELS)
    # A target that runs elsewhere is sent a token that no level names.
    return (newest.workload, newest.payload, newest.protocol, newest.engine, "attached" in newest.settings, *levels)


def _bytes_each(runs: ContenderRuns) -> float | None:
    """Bytes per request that found a connection: the others sent nothing."""
    totals = [run.total for run in runs.counted.values() if run.total is not None]
    requests = sum(total.requests - sum(total.errors.get(kind, 0) for kind in _NO_CONNECTION) for total in totals)
    return sum(total.bytes_sent for total in totals) / requests if requests else None


def _limits(contender: JudgedContender) -> Iterable[JudgedFinding]:
    share = contender.ceiling_share
    if share is not None and share >= kinds.GENERATOR_BOUND.limits[0]:
        agents = agents_of(contender.settings)
        engine = "the engine" if agents == 1 else f"one of its {agents} engines"
        yield kinds.PEAK_GENERATOR_BOUND.judged(share=share, engine=engine)
    if kind := _BOTTLENECKS.get(contender.bottleneck.kind):
        yield kind.judged(evidence=contender.bottleneck.words)


def _rounds(runs: Iterable[RunResult]) -> tuple[int, ...]:
    return tuple(sorted({run.round for run in runs}))


def _saturation(mode: str, contender: JudgedContender) -> Iterable[JudgedFinding]:
    """The documented saturation point: where throughput reaches a plateau, or errors spike."""
    found = saturation_of(contender.levels) if mode == SATURATION else None
    if found is None:
        return
    at = {"users": found.level.load, "per_s": f"{rate(found.level.throughput_per_s.median)} operations/s"}
    if found.beyond is None:
        yield kinds.NOT_SATURATED.judged(**at)
    elif found.is_spike:
        yield kinds.ERRORS_SPIKE.judged(**at, beyond=found.beyond.load)
    else:
        yield kinds.SATURATION_POINT.judged(**at, beyond=found.beyond.load, gain=found.gain)
