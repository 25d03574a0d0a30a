"""Findings that follow from a run's own figures. Pure functions."""

import shlex
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise
from statistics import median
from types import MappingProxyType

from bakeoff.engines.stream import PhaseEnd, Record
from bakeoff.results import finding_kinds as kinds
from bakeoff.results import histograms
from bakeoff.results.audit import Audit
from bakeoff.results.cost import Sample
from bakeoff.results.database_activity import DatabaseActivity
from bakeoff.results.findings import Finding
from bakeoff.results.machine_state import MachineState
from bakeoff.results.operations import MeasuredOperation
from bakeoff.results.run import Measured, PhaseResult
from bakeoff.results.warm_up_record import WarmUp
from bakeoff.running.phase_plan import PlannedStep
from bakeoff.sampling.gauges import GaugeReads
from bakeoff.text.prose import listed
from bakeoff.text.ratios import places_apart
from bakeoff.text.redaction import redacted
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan_records import PlannedThresholds
from bakeoff.workload.written_at import written_at

_VIOLATIONS = ("lost", "wrong", "stale")


def stop_findings(stopped_at: PhaseEnd | None, steps: Sequence[PlannedStep]) -> list[Finding]:
    """A saturation run that ended after one of its steps."""
    if stopped_at is None:
        return []
    last = steps[stopped_at.phase]
    name = last.phase.name if last.measures else f"{last.phase.name} at {last.phase.virtual_users:,} users"
    left = ", ".join(step.phase.name for step in steps[stopped_at.phase + 1 :] if step.measures)
    return [kinds.STOPPED_EARLY(phase=name, share=stopped_at.failed / stopped_at.sent, left=left)]


def findings_of(total: Measured, thresholds: PlannedThresholds, log: str | None) -> list[Finding]:
    """Errors, and thresholds that were crossed; `log` is the path of the target's log, if the lab has it."""
    findings = []
    if total.errors:
        kind = kinds.MANY_ERRORS if total.error_rate >= thresholds.error_rate else kinds.ERRORS
        where = {"log": "the target's log" if log is None else log, "kinds": _failures(total)}
        share = total.failed / total.requests
        findings.append(kind(failed=total.failed, requests=total.requests, share=share, **where))
    for percentile, limit_ms in (("p95", thresholds.p95_ms), ("p99", thresholds.p99_ms)):
        latency_ms = total.latency.percentiles_ms[percentile]
        if latency_ms >= limit_ms:
            findings.append(kinds.THRESHOLD(percentile=percentile, latency_ms=latency_ms, threshold_ms=limit_ms))
    return findings


def _failures(total: Measured) -> str:
    """The count of each kind, by operation where the engine divided them, and the first reply of the worst."""
    several = [(f"{name} ", each.errors) for name, each in total.by_operation.items() if each.errors]
    parts = several or [("", total.errors)]
    counted = [(count, f"{count:,} × {name}{kind}") for name, errors in parts for kind, count in errors.items()]
    words = ", ".join(words for _, words in sorted(counted, key=lambda each: -each[0]))
    replied = [(each.failed, name, each.failed_reply) for name, each in total.by_operation.items() if each.failed_reply]
    if not replied:
        return words
    _, name, reply = max(replied, key=lambda each: each[0])
    return redacted(f"{words}; the first failed reply of {name}: {reply}")


def generator_findings(
    records: Sequence[Record],
    peak_per_s: float,
    ceiling_per_s: float | None,
    engine: str,
    calibrate: str,
    agents: int = 1,
    loads: Mapping[int, str] = MappingProxyType({}),
) -> list[Finding]:
    """Limits of the load generator. `peak_per_s`: of the fastest phase; `loads` are those of phases by their numbers.

    `calibrate` is the command that measures the ceiling where it is not known. The ceiling is that of one engine, also
    where several `agents` share the load: how much more they can do together depends on the cores that are left.
    """
    findings = []
    if ceiling_per_s is None:
        findings.append(kinds.NOT_CALIBRATED(engine=engine, calibrate=calibrate))
    elif peak_per_s >= ceiling_per_s * kinds.GENERATOR_BOUND.limits[0]:
        named = f"the engine {engine}" if agents == 1 else f"one of its {agents} engines ({engine})"
        share = peak_per_s / ceiling_per_s
        findings.append(
            kinds.GENERATOR_BOUND(peak_per_s=peak_per_s, share=share, ceiling_per_s=ceiling_per_s, engine=named)
        )
    if unsent := sum(record.unsent for record in records if isinstance(record, PhaseEnd)):
        findings.append(kinds.UNSENT(unsent=unsent))
    ends = [record for record in records if isinstance(record, PhaseEnd)]
    return findings + [late for each in ends if (late := _lagged(each, load_of(each.phase + 1, loads))) is not None]


def load_of(number: int, loads: Mapping[int, str]) -> str:
    """The load of a phase in words, or its number where that is all that is known."""
    return loads.get(number, f"phase {number}")


def _lagged(record: PhaseEnd, load: str) -> Finding | None:
    """Requests that the engine sent late, by the share of the latency that is. The target's own delay is no lag."""
    if not record.send_lag_histogram:
        return None
    least_share, least_ms = kinds.GENERATOR_LAGGED.limits
    lag, latency = (
        histograms.summarise(histograms.merge([each])).percentiles_ms
        for each in (record.send_lag_histogram, record.latency_histogram)
    )
    for quantile in ("p99", "p50"):
        if lag[quantile] > least_ms and lag[quantile] > least_share * latency[quantile]:
            return kinds.GENERATOR_LAGGED(load=load, quantile=quantile, lag_ms=lag[quantile])
    return None


def not_audited(engine: str, *, has_query: bool, has_ledger: bool, in_database: bool = True) -> Finding:
    """The reason why a run was not audited: no way to read what is stored, no ledger, or an early end.

    `has_query`: an audit query for what lies `in_database`, or an operation that reads entities back.
    """
    if not has_query:
        return kinds.NOT_AUDITED() if in_database else kinds.NOT_AUDITED_BY_READS()
    return kinds.NOT_AUDITED_AFTER_FAILURE() if has_ledger else kinds.NOT_AUDITED_WITHOUT_LEDGER(engine=engine)


def violations(verdict: Audit) -> str:
    """Writes that are not stored correctly, by kind: `2 lost, 1 stale`."""
    return ", ".join(f"{count:,} {kind}" for kind in _VIOLATIONS if (count := getattr(verdict, kind).count))


def audit_findings(verdict: Audit, rows_before: int = 0) -> list[Finding]:
    """Findings of the audit; no operation explains the rows that were there before.

    Nor does one that was never answered where the target assigns keys, as of those in flight at a crash.
    """
    findings = []
    if not verdict.clean:
        findings.append(kinds.AUDIT_FAILED(broken=violations(verdict)))
    if not verdict.ledger_complete:
        findings.append(kinds.AUDIT_INCOMPLETE())
    if verdict.through:
        checked = verdict.entities if verdict.checked_entities is None else verdict.checked_entities
        which = "all" if checked == verdict.entities else f"{checked:,}"
        findings.append(kinds.AUDITED_BY_READS(operation=verdict.through, checked=which, entities=verdict.entities))
    if (unexplained := verdict.unexplained_rows.count - rows_before - verdict.untraceable_operations) > 0:
        findings.append(kinds.UNEXPLAINED_ROWS(rows=unexplained))
    return findings


def warm_up_findings(warm_up: WarmUp | None, loads: Mapping[int, str] = MappingProxyType({})) -> list[Finding]:
    """Levels that were measured before throughput was steady, and how long a target was driven that states it."""
    if warm_up is None:
        return []
    stated = [kinds.STATED_WARM_UP(loaded_s=warm_up.loaded_s)] if warm_up.stated_s and not warm_up.is_short else []
    restless = [level for level in warm_up.levels if level.steady is False]
    if not restless:
        return stated
    named = listed([load_of(number, loads) for number in sorted(level.phase for level in restless)])
    longest_s = max(level.duration_s for level in restless)
    return [*stated, kinds.NOT_STEADY(loads=named, longest_s=longest_s)]


def machine_findings(state: MachineState | None, measured_s: float) -> list[Finding]:
    """Agents that started apart, CPU that others or sampling took, and a clock that jumped."""
    state, found = state or MachineState(), []
    if (apart_ms := state.agents_apart_ms or 0.0) > kinds.AGENTS_NOT_SYNCHRONIZED.limits[0]:
        found.append(kinds.AGENTS_NOT_SYNCHRONIZED(apart_ms=apart_ms))
    # In a shorter run the samples at the edges of phases outnumber those of each second.
    most_percent, shortest_s = kinds.SAMPLING_OVERHEAD.limits
    if (used := state.sampling_cpu_percent or 0.0) > most_percent and measured_s >= shortest_s:
        found.append(kinds.SAMPLING_OVERHEAD(used_percent=f"{used:.{places_apart(used, (most_percent,), 1)}f}"))
    taken = zip(
        ("other processes", "the hypervisor"),
        (state.other_cpu_percent, state.steal_percent),
        kinds.NOISY_MACHINE.limits,
        strict=True,
    )
    words = [f"{who} used {used:.0f}%" for who, used, limit in taken if used is not None and used > limit]
    if words:
        found.append(kinds.NOISY_MACHINE(used=" and ".join(words)))
    # Target, database and engine are matched in time by the wall clock.
    if state.clock_jump_s:
        found.append(kinds.CLOCK_ADJUSTED(jump_s=state.clock_jump_s))
    return found


def waiting_findings(
    target_percent: float | None, database_percent: float | None, maintained_s: float
) -> list[Finding]:
    """Work of the target and of its database, per cent of one core, while the other side was measured.

    `maintained_s` is for how long the database vacuumed or wrote a checkpoint then.
    """
    found = []
    if target_percent is not None and target_percent > kinds.BUSY_WHILE_WAITING.limits[0]:
        found.append(kinds.BUSY_WHILE_WAITING(cpu_percent=target_percent))
    used = database_percent or 0.0
    if used > kinds.DATABASE_BUSY_WHILE_WAITING.limits[0] or maintained_s > 0:
        found.append(kinds.DATABASE_BUSY_WHILE_WAITING(cpu_percent=used, maintained_s=maintained_s))
    return found


def gauge_findings(reads: Sequence[GaugeReads]) -> list[Finding]:
    """Processes that do not show the gauges that their target declares."""
    return [
        kinds.GAUGES_UNREAD(**vars(each))
        for each in reads
        if each.failed > kinds.GAUGES_UNREAD.limits[0] * each.attempts
    ]


def replica_findings(transactions: str | None) -> list[Finding]:
    """Reads from a replica; `transactions` is how many it has served, None where there was none."""
    return [] if transactions is None else [kinds.READ_REPLICA(transactions=int(transactions))]


def sustained_findings(activity: DatabaseActivity | None, buffers_bytes: int | None) -> list[Finding]:
    """The windows of a sustained run that did not meet what they are for."""
    checkpoints, autovacuums = kinds.NOT_SUSTAINED.limits
    found = []
    for number, phase in (activity.phases or {}).items() if activity is not None else ():
        table, problems = phase.table_bytes_before, []
        if phase.checkpoints is not None and phase.checkpoints < checkpoints:
            problems.append(f"{phase.checkpoints} of at least {checkpoints:g} checkpoints ended")
        if phase.autovacuums is not None and phase.autovacuums < autovacuums:
            problems.append("no autovacuum ended")
        if table is not None and buffers_bytes is not None and table <= buffers_bytes:
            problems.append(
                f"{table / 2**20:,.0f} MiB of tables fitted into {buffers_bytes / 2**20:,.0f} MiB of buffers"
            )
        if problems:
            found.append(kinds.NOT_SUSTAINED(phase=number, problems=", ".join(problems)))
    return found


# In a shorter phase, caches and pools that fill look like a leak; less growth is noise.
_GROWTH_SHARE, _GROWTH_MIB, _SHORTEST_S = kinds.MEMORY_GROWING.limits
_QUARTERS = 4


def memory_findings(samples: Sequence[Sample], phases: Sequence[PhaseResult]) -> list[Finding]:
    """A finding for the longest phase in which the target's memory rose from quarter to quarter and did not level off.

    A pool that fills rises fast and then stays; so the last quarter must bring at least half of what the second did.
    """
    longest = max(phases, key=lambda phase: phase.end_ns - phase.begin_ns, default=None)
    if longest is None or (seconds := (longest.end_ns - longest.begin_ns) / 1e9) < _SHORTEST_S:
        return []
    levels = _quarters(samples, longest)
    steps = [after - before for before, after in pairwise(levels)]
    least = max(_GROWTH_MIB * 2**20, _GROWTH_SHARE * levels[1]) if levels else 0
    if not levels or levels[-1] - levels[1] < least or min(steps) <= 0 or steps[-1] < steps[0] / 2:
        return []
    first_mb, last_mb = levels[0] / 1e6, levels[-1] / 1e6
    return [kinds.MEMORY_GROWING(phase=longest.number, seconds=seconds, first_mb=first_mb, last_mb=last_mb)]


def _quarters(samples: Sequence[Sample], phase: PhaseResult) -> list[float]:
    """The median memory in each quarter of a phase; none where one was not sampled."""
    length_ns = (phase.end_ns - phase.begin_ns) / _QUARTERS
    parts: list[list[int]] = [[] for _ in range(_QUARTERS)]
    for sample in samples:
        part = int((sample.time_unix_ns - phase.begin_ns) // length_ns)
        if sample.role == "target" and 0 <= part < _QUARTERS:
            parts[part].append(sample.memory_bytes)
    return [median(part) for part in parts] if all(parts) else []


WRONG_READ = "wrong_read"

# Operations that fail every time, each with its first failed reply.
_MOST_NAMED = 3


def operation_findings(total: Measured, checks: Mapping[str, float]) -> list[Finding]:
    """All findings; `checks` is the fraction of replies whose content is checked, by operation."""
    return [*wrong_reads(total), *_checks_failed(total, checks), *_slow_operations(total)]


def wrong_reads(total: Measured) -> list[Finding]:
    """Replies that show a state which the writes exclude."""
    counts = {name: each.errors.get(WRONG_READ, 0) for name, each in total.by_operation.items()}
    wrong = {name: count for name, count in counts.items() if count}
    if not wrong and not total.errors.get(WRONG_READ):
        return []
    named = [
        f"{name}: {count:,} of {total.by_operation[name].checked:,} checked replies"
        f"{_first_of(total.by_operation[name])}"
        for name, count in wrong.items()
    ]
    words = "; ".join(named) or f"{total.errors[WRONG_READ]:,} replies"
    return [kinds.WRONG_READS(replies=words)]


def always_failing(total: Measured, workload: Workload | None = None) -> str | None:
    """The reason why a run counts as failed: no reply of an operation was right; and the line to change."""
    failing = {name: _share(each) for name, each in total.by_operation.items() if each.always_fails}
    if not failing:
        return None
    which = "an operation" if len(failing) == 1 else f"{len(failing)} operations"
    named = [f"{name} ({share})" for name, share in islice(failing.items(), _MOST_NAMED)]
    more = [f"{len(failing) - len(named)} more"] if len(failing) > len(named) else []
    words = f"{which} failed every time: {', '.join([*named, *more])}."
    place = None if workload is None else written_at(workload, next(iter(failing)))
    logins = {each.name for each in workload.declared.operations if each.login} if workload is not None else set()
    state = "A login needs a user in the state that each run starts from: prepare of [storage] makes it."
    return " ".join([words, *([] if place is None else [place]), *([state] if logins & failing.keys() else [])])


def _checks_failed(total: Measured, checks: Mapping[str, float]) -> list[Finding]:
    failing = {
        name: each
        for name, each in total.by_operation.items()
        if each.check_failure_rate > kinds.CHECKS_FAILED.limits[0] and WRONG_READ not in each.errors
    }
    words = "; ".join(_check_words(name, each, checks.get(name)) for name, each in failing.items())
    return [kinds.CHECKS_FAILED(replies=words)] if failing else []


def _slow_operations(total: Measured) -> list[Finding]:
    """The operation, if any, that takes so much longer than all others that percentiles of the whole hide one."""
    ratio, least_ms, fewest = kinds.SLOW_OPERATION.limits
    medians_ms = sorted(
        (each.latency.percentiles_ms["p50"], name)
        for name, each in total.by_operation.items()
        if each.requests >= fewest
    )
    if len(medians_ms) < 2:
        return []
    (next_ms, _), (median_ms, name) = medians_ms[-2:]
    if median_ms < least_ms or median_ms < ratio * next_ms:
        return []
    share = total.by_operation[name].requests / total.requests
    quoted = shlex.quote(name)
    return [kinds.SLOW_OPERATION(operation=name, median_ms=median_ms, next_ms=next_ms, share=share, quoted=quoted)]


def _check_words(name: str, each: MeasuredOperation, share: float | None) -> str:
    rate = ""
    if share is not None:
        rate = " (all of them are)" if share >= 1 else f" ({100 * share:.3g}% of its replies are)"
    return (
        f"{name}: {each.checks_failed:,} of {each.checked:,} checked replies{rate}, so about "
        f"{each.estimated_failed:,.0f} of {each.requests:,} requests failed{_first_of(each)}"
    )


def _first_of(each: MeasuredOperation) -> str:
    """The first wrong value, and the first failed reply, where the engine reports them."""
    check = "" if each.failed_check is None else f", the first {each.failed_check}"
    reply = "" if each.failed_reply is None else f"; the first failed reply: {each.failed_reply}"
    return redacted(check + reply)


def _share(each: MeasuredOperation) -> str:
    if each.ok == 0:
        named = ", ".join(
            f"{count:,} × {kind}" for kind, count in sorted(each.errors.items(), key=lambda kind: -kind[1])
        )
        return f"{each.failed:,} of {each.requests:,} requests: {named}{_first_of(each)}"
    return f"{each.checks_failed:,} of {each.checked:,} checked replies had wrong content{_first_of(each)}"
