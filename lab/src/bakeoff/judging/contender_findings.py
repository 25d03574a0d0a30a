"""Findings about one contender, from all of its runs. Pure functions."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bakeoff.judging import steadiness, windows
from bakeoff.judging.ceilings import agents_of
from bakeoff.judging.contender_runs import AA_FACTOR, ContenderRuns
from bakeoff.judging.drift import Drift
from bakeoff.judging.judgement import SEVERITIES, Contender, JudgedFinding
from bakeoff.judging.saturation import saturation_of
from bakeoff.judging.slo import RANKED_ERROR_SHARE, ranking_slo
from bakeoff.judging.table_growth import growth_in
from bakeoff.options.table import PLACEMENT
from bakeoff.options.variant import Variant
from bakeoff.results.mode_names import SATURATION
from bakeoff.results.run import Finding, RunResult, Status

_CEILING_SHARE = 1 / 3
_SPREAD = 0.10
_PAYLOAD_DEVIATION = 0.05
# What the engine sends besides requests: the reply to a PING frame, which some servers (grpc-go) send with each call.
_CONTROL_BYTES = {"grpc": 17}
# The levels of the load that a run's settings record; the contenders of an A/A pair differ in the number alone.
_LOAD_LEVELS = sorted(Variant().levels().keys() - {AA_FACTOR, *PLACEMENT})
_NO_CONNECTION = ("ports_exhausted", "descriptors_exhausted", "connect_timeout", "refused", "unreachable")

_BOTTLENECK_ADVICE = {
    "target-cpu": "Profile the target: its CPU per operation limits its throughput here.",
    "database": "A faster disk, larger batches or fewer statements per operation would raise this limit.",
    "pool": "If the database has CPU available, raise pool_size: --set pool_size=32.",
    "machine": (
        "Target, database and engine share these cores: ratios are valid, absolute figures apply to this machine only."
    ),
    "load": "It may be able to do more: use more virtual users (--users).",
}
_BOTTLENECK_KINDS = {
    "target-cpu": "cpu-bound",
    "database": "database-bound",
    "pool": "pool-bound",
    "machine": "machine-bound",
    "load": "load-bound",
}


def found(
    runs: ContenderRuns, contender: Contender, peers: Sequence[ContenderRuns], rounds: int, drift: Drift | None
) -> list[JudgedFinding]:
    """All findings, the gravest first. `peers` are the runs of all contenders, `rounds` those that were planned."""
    findings = [
        *_carried(runs),
        *_ends(runs),
        *_connections(runs),
        *_table_growth(runs),
        *_indicative(contender),
        *_trends(runs),
        *_drifted(drift, contender.settings),
        *_unranked(contender),
        *_missing_rounds(runs, rounds),
        *_spread(contender),
        *_payload(runs, peers),
        *_bound(contender),
        *_saturation(runs.newest.mode, contender),
    ]
    known: dict[str, JudgedFinding] = {}
    for finding in findings:
        known.setdefault(finding.kind, finding)
    return sorted(known.values(), key=lambda finding: -SEVERITIES.index(finding.severity))


def _carried(runs: ContenderRuns) -> list[JudgedFinding]:
    """What the runs found themselves, each kind once: its gravest message, and the rounds that have it."""
    grouped: dict[str, list[tuple[int, Finding]]] = {}
    for run in runs.all:
        for finding in run.result.findings:
            grouped.setdefault(finding.kind, []).append((run.result.round, finding))
    return [_together(findings) for findings in grouped.values()]


def _together(findings: Sequence[tuple[int, Finding]]) -> JudgedFinding:
    _, gravest = max(findings, key=lambda item: SEVERITIES.index(item[1].severity))
    return JudgedFinding(
        gravest.kind, gravest.severity, gravest.message, gravest.advice, _rounds(number for number, _ in findings)
    )


def _ends(runs: ContenderRuns) -> Iterable[JudgedFinding]:
    """Runs that did not come to their end, and void ones whose own finding is not there."""
    early = [run.result for run in runs.all if run.result.status in (Status.FAILED, Status.INTERRUPTED)]
    if early:
        failed = any(run.status is Status.FAILED for run in early)
        reason = next((run.failure for run in early if run.failure), "it was interrupted.")
        advice = f"Read the target's log{_logs(early)}, then run it again." if failed else "Run it again."
        yield JudgedFinding(
            "early-end",
            "error" if failed else "warning",
            f"A run ended early: {reason}",
            f"Its figures are not used. {advice}",
            _rounds(run.round for run in early),
        )
    void = [run.result for run in runs.all if run.result.status is Status.VOID]
    if void:
        yield JudgedFinding(
            "audit-failed",
            "error",
            "Acknowledged writes are missing from the database.",
            "These rounds are void: throughput without durability does not count.",
            _rounds(run.round for run in void),
        )
    silent = [run.result for run in runs.all if _answered_nothing(run.result)]
    if silent:
        yield JudgedFinding(
            "no-successful-requests",
            "error",
            "No request got the expected reply.",
            f"These rounds are not used. Read the target's log{_logs(silent)}.",
            _rounds(run.round for run in silent),
        )


def _logs(runs: Sequence[RunResult]) -> str:
    """The paths of their logs, after a comma; empty where the lab has none."""
    return "".join(f", {log}" for run in runs if (log := run.environment.get("api_log")) is not None)


def _unranked(contender: Contender) -> Iterable[JudgedFinding]:
    """What was measured and carries no rank."""
    if not contender.indicative and contender.rank is None and contender.peak_throughput_per_s is not None:
        yield JudgedFinding(
            "no-level-kept",
            "error",
            f"No load level kept the thresholds of a rank ({ranking_slo()}), so it has none.{_failing(contender)}",
            "Read its errors with ./bakeoff runs show, or measure lower loads (--users).",
        )


def _answered_nothing(run: RunResult) -> bool:
    return run.status is Status.COMPLETED and (run.total is None or run.total.ok == 0)


def _failing(contender: Contender) -> str:
    """What failed at its best load, by operation where the engine divided them."""
    level = contender.level_at_peak
    if level is None or level.failed_share <= RANKED_ERROR_SHARE:
        return ""
    parts = [
        f"{name} {_per_cent(each.error_rate.median)}"
        for name, each in level.operations.items()
        if each.error_rate.median > RANKED_ERROR_SHARE
    ]
    named = f" ({', '.join(parts)})" if parts else ""
    return f" At its best load {_per_cent(level.failed_share)} of its requests failed{named}."


def _per_cent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _connections(runs: ContenderRuns) -> Iterable[JudgedFinding]:
    """Connections that the machine or the target's backlog refused; those to a target that died show only that."""
    failed = {
        run.result.round: {
            kind: run.result.total.errors[kind] for kind in _NO_CONNECTION if kind in run.result.total.errors
        }
        for run in runs.all
        if run.result.total is not None and run.result.status is not Status.FAILED
    }
    failed = {number: errors for number, errors in failed.items() if errors}
    if not failed:
        return
    worst = max(failed.values(), key=lambda errors: sum(errors.values()))
    kinds = ", ".join(f"{count:,} × {kind}" for kind, count in worst.items())
    yield JudgedFinding(
        "connection-exhaustion",
        "error",
        f"Connections failed: {kinds} in one round.",
        "This measured limits of the machine or of the target's backlog, not its speed: ./bakeoff doctor shows them.",
        tuple(failed),
    )


def _table_growth(runs: ContenderRuns) -> Iterable[JudgedFinding]:
    """A decline that the stored rows explain, and which so says nothing of the load."""
    grown = growth_in(runs.counted.values())
    if not grown:
        return
    worst = min(grown.values(), key=lambda growth: growth.change)
    yield JudgedFinding(
        "table-growth",
        "warning",
        f"Throughput fell by {-worst.change:.0%} while {worst.rows:,} rows were inserted, {worst.within_phases:.0%} of "
        "it within phases, at constant load: the growing table explains it, not the load.",
        "So it has no breaking point. Begin with a full table (--preload 100000), shorten the phases, or add an index "
        "for what reads search.",
        tuple(grown),
    )


def _trends(runs: ContenderRuns) -> Iterable[JudgedFinding]:
    trends = {number: steadiness.steepest_trend(run.timeline) for number, run in runs.counted.items()}
    steep = {number: trend for number, trend in trends.items() if trend is not None}
    if not steep:
        return
    worst = max(steep.values(), key=lambda trend: abs(trend.change))
    direction = "rose" if worst.change > 0 else "fell"
    yield JudgedFinding(
        "trend",
        "warning",
        f"Throughput {direction} by {abs(worst.change):.0%} within phase {worst.phase}.",
        "That phase did not reach a steady state. If throughput rose, use longer phases (--phase-duration); if it "
        "fell, look for a table, log or heap that grows.",
        tuple(steep),
    )


def _indicative(contender: Contender) -> Iterable[JudgedFinding]:
    """Windows that show about how fast it is, and no rank."""
    if contender.indicative:
        yield JudgedFinding(
            "indicative",
            "warning",
            f"It has no rank: {'; '.join(contender.indicative)}.",
            f"Use windows of at least {windows.SHORTEST_S:.0f} s (--phase-duration 10s), and let levels settle "
            "(--warm-up, --settle); where throughput was not steady, other findings may show the cause.",
        )


def _drifted(drift: Drift | None, settings: Mapping[str, str]) -> Iterable[JudgedFinding]:
    """A contender that changed from round to round, as the others did not."""
    if drift is None:
        return
    direction = "rose" if drift.change > 0 else "fell"
    others = ", relative to the other contenders" if drift.against_others else ""
    advice = "Each round has a new process and a fresh table: look for effects that last between rounds, such as heat."
    if "attached" in settings:
        advice = "One process serves all rounds and may change with age: restart it and measure again."
    if not drift.against_others:
        advice += " A change of the machine looks the same: measure another target in the same comparison."
    yield JudgedFinding(
        "contender-drift",
        "warning",
        f"Throughput {direction} by {abs(drift.change):.0%} from round {drift.first} to round {drift.last}{others}.",
        advice,
    )


def _missing_rounds(runs: ContenderRuns, rounds: int) -> Iterable[JudgedFinding]:
    missing = sorted(set(range(1, rounds + 1)) - set(runs.counted))
    if missing and runs.counted:
        yield JudgedFinding(
            "missing-rounds",
            "warning",
            f"Only {len(runs.counted)} of {rounds} rounds are valid.",
            "Its intervals are wider than necessary; ./bakeoff run --resume runs what is missing.",
            tuple(missing),
        )


def _spread(contender: Contender) -> Iterable[JudgedFinding]:
    """Rounds that agree badly with each other, whatever the reason."""
    peak = contender.peak_throughput_per_s
    if peak is None or len(peak.values) < 2 or peak.median <= 0:
        return
    spread = float(np.std(peak.values, ddof=1)) / peak.median
    if spread > _SPREAD:
        yield JudgedFinding(
            "high-variance",
            "warning",
            f"Throughput differs between rounds by {spread:.0%} (standard deviation), from {min(peak.values):,.0f} to "
            f"{max(peak.values):,.0f} operations/s.",
            "Stop other work on the machine, or add rounds: the interval shrinks with the square root of their number.",
        )


def _payload(runs: ContenderRuns, peers: Sequence[ContenderRuns]) -> Iterable[JudgedFinding]:
    """Whether as many bytes went out for each request as for others that were sent the same."""
    own = _bytes_each(runs)
    alike = [_bytes_each(peer) for peer in peers if _load_of(peer) == _load_of(runs)]
    known = [size for size in alike if size is not None]
    if own is None or len(known) < 2:
        return
    usual = float(np.median(known))
    if abs(own - usual) > usual * _PAYLOAD_DEVIATION + _CONTROL_BYTES.get(runs.newest.protocol, 0):
        yield JudgedFinding(
            "payload-mismatch",
            "error",
            f"{own:,.0f} bytes were sent per request, but {usual:,.0f} by other contenders with the same load.",
            "The contenders did not get the same work: compare the engines' versions and the seeds of the runs.",
        )


def _load_of(runs: ContenderRuns) -> tuple[object, ...]:
    """All that decides which bytes a contender is sent; its own settings do not."""
    newest = runs.newest
    levels = (newest.settings.get(name) for name in _LOAD_LEVELS)
    # A target that runs elsewhere is sent a token that no level names.
    return (newest.workload, newest.payload, newest.protocol, newest.engine, "attached" in newest.settings, *levels)


def _bytes_each(runs: ContenderRuns) -> float | None:
    """Of the requests that found a connection: the others sent nothing."""
    totals = [run.total for run in runs.counted.values() if run.total is not None]
    requests = sum(total.requests - sum(total.errors.get(kind, 0) for kind in _NO_CONNECTION) for total in totals)
    return sum(total.bytes_sent for total in totals) / requests if requests else None


def _bound(contender: Contender) -> Iterable[JudgedFinding]:
    share = contender.ceiling_share
    if share is not None and share >= _CEILING_SHARE:
        agents = agents_of(contender.settings)
        who = "the engine" if agents == 1 else f"one of its {agents} engines"
        yield JudgedFinding(
            "generator-bound",
            "warning",
            f"Its peak is {share:.0%} of what {who} can do here.",
            "The target may be faster than this figure. Use a more efficient engine, or larger messages.",
        )
    kind = contender.bottleneck.kind
    if kind in _BOTTLENECK_KINDS:
        yield JudgedFinding(_BOTTLENECK_KINDS[kind], "info", contender.bottleneck.words, _BOTTLENECK_ADVICE[kind])


def _rounds(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(numbers)))


def _saturation(mode: str, contender: Contender) -> Iterable[JudgedFinding]:
    """The documented saturation point: where throughput plateaus, or errors spike."""
    found = saturation_of(contender.levels) if mode == SATURATION else None
    if found is None:
        return
    users = f"{found.level.virtual_users:,} users"
    per_s = f"{found.level.throughput_per_s.median:,.0f} operations/s"
    if found.beyond is None:
        message = f"It is not saturated: {users} reach {per_s}, more than any fewer."
        advice = "--users 2000,4000 measures higher loads."
    elif found.is_spike:
        message = f"It is saturated at {users} ({per_s}): at {found.beyond.virtual_users:,} users errors spike."
        advice = "Plan for fewer users than that, and look at what fails first."
    else:
        more = f"{found.beyond.virtual_users:,} users change that by {found.gain:+.1%}"
        message = f"It is saturated at {users}: throughput reaches its plateau with {per_s}, and {more}."
        advice = "Beyond its plateau more users only wait longer."
    yield JudgedFinding("saturation-point", "info", message, advice)
