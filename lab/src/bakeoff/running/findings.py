"""What a run's own figures say about whether they can be believed. Pure functions."""

from collections.abc import Sequence

from bakeoff.engines import histograms
from bakeoff.engines.stream import PhaseEnd, Record
from bakeoff.results.audit import Audit
from bakeoff.results.run import Finding, Measured
from bakeoff.results.warm_up_record import WarmUp
from bakeoff.running.modes import SATURATION_STOPS_AT
from bakeoff.running.phase_plan import Step
from bakeoff.sampling.gauge_watch import GaugeReads
from bakeoff.sampling.machine import MachineState
from bakeoff.workload.plan_records import PlannedThresholds

# A generator that is this close to what it can do shapes what it measures.
_CEILING_SHARE = 1 / 3
_LAG_NS = 1_000_000
_LAG_SHARE = 0.1

# Per cent of one core; more than this in other hands shifts what is measured.
_OTHERS_PERCENT = 10.0
_STEAL_PERCENT = 2.0

# Per cent of one core; looking that takes more is part of what is seen.
_SAMPLING_PERCENT = 1.0
# In less time the looks at the edges of phases outnumber those of each second.
_SAMPLED_S = 5.0

# Per cent of one core; a target that does so much while it waits for its turn slows the side whose turn it is.
_WAITING_PERCENT = 5.0

# More readings of gauges than this share must not fail: the others may show another time than the phase.
_GAUGES_FAILED_SHARE = 0.1

# Seconds of agents that lie further apart than this are imprecise; from half a second on the run has no figures.
_AGENTS_APART_MS = 50.0

_VIOLATIONS = ("lost", "wrong", "stale")


def stop_findings(stopped_at: PhaseEnd | None, steps: Sequence[Step]) -> list[Finding]:
    """That a run to saturation ended early, after one of its steps."""
    if stopped_at is None:
        return []
    last = steps[stopped_at.phase]
    name = last.phase.name if last.measures else f"{last.phase.name} at {last.phase.virtual_users:,} users"
    left = [step.phase.name for step in steps[stopped_at.phase + 1 :] if step.measures]
    return [
        Finding(
            "stopped-early",
            "warning",
            f"The run ended after {name}: {stopped_at.failed / stopped_at.sent:.1%} of its requests failed, more than "
            f"{SATURATION_STOPS_AT:.0%}. Not measured: {', '.join(left)}.",
            "The highest load that it holds is below that: read the phases before. --users measures other loads.",
        )
    ]


def findings_of(total: Measured, thresholds: PlannedThresholds, log: str | None) -> list[Finding]:
    """Errors, and thresholds that were crossed; `log` is where the target's own messages are, if the lab has them."""
    findings = []
    where = "the target's log" if log is None else log
    if total.errors:
        crossed = total.error_rate >= thresholds.error_rate
        findings.append(
            Finding(
                "errors",
                "error" if crossed else "warning",
                f"{total.failed:,} of {total.requests:,} requests failed ({total.failed / total.requests:.2%}): "
                f"{_failures(total)}.",
                f"Read {where}. Figures of a run with errors do not show the target's speed.",
            )
        )
    for percentile, limit in (("p95", thresholds.p95_ms), ("p99", thresholds.p99_ms)):
        latency_ms = total.latency.percentiles_ms[percentile]
        if latency_ms >= limit:
            findings.append(
                Finding(
                    "threshold",
                    "warning",
                    f"{percentile} was {latency_ms:.0f} ms, and the threshold is {limit:.0f} ms.",
                    "Look at the phases: the first one above the threshold has more load than this target can handle.",
                )
            )
    return findings


def _failures(total: Measured) -> str:
    """How often each kind came, by operation where the engine divided them."""
    several = [(f"{name} ", each.errors) for name, each in total.by_operation.items() if each.errors]
    parts = several or [("", total.errors)]
    counted = [(count, f"{count:,} × {name}{kind}") for name, errors in parts for kind, count in errors.items()]
    return ", ".join(words for _, words in sorted(counted, key=lambda each: -each[0]))


def generator_findings(
    records: Sequence[Record],
    peak_per_s: float,
    ceiling_per_s: float | None,
    engine: str,
    calibrate: str,
    agents: int = 1,
) -> list[Finding]:
    """Whether the load generator may have been what was measured. `peak_per_s`: of the fastest phase.

    `calibrate` is the command that measures the ceiling where it is not known. The ceiling is that of one engine, also
    where several `agents` share the load: how much more they can do together depends on the cores that are left.
    """
    findings = []
    if ceiling_per_s is None:
        findings.append(
            Finding(
                "not-calibrated",
                "info",
                f"The capacity of this build of the engine {engine} is not measured on this machine for this kind of "
                "load.",
                f"{calibrate} measures it; until then a limit of the engine can look like a limit of the target.",
            )
        )
    elif peak_per_s >= ceiling_per_s * _CEILING_SHARE:
        findings.append(
            Finding(
                "generator-bound",
                "warning",
                f"The fastest phase reached {peak_per_s:,.0f}/s, {peak_per_s / ceiling_per_s:.0%} of the "
                f"{ceiling_per_s:,.0f}/s that {_engines(engine, agents)} can do here.",
                "The target may be faster than this figure. Use a more efficient engine, or larger messages.",
            )
        )
    unsent = sum(record.unsent for record in records if isinstance(record, PhaseEnd))
    if unsent:
        findings.append(
            Finding(
                "unsent",
                "warning",
                f"{unsent:,} scheduled requests could not be sent in time.",
                "The load was lower than planned: allow more virtual users, or lower the rate.",
            )
        )
    return findings + _lag_findings(records)


def not_audited(engine: str, *, has_query: bool, has_ledger: bool, in_database: bool = True) -> Finding:
    """Why a run was not audited: no way to look at what is stored, no ledger, or an early end.

    `has_query`: an audit query for what lies `in_database`, or an operation that reads entities back.
    """
    if not has_query and not in_database:
        message = "The target stores in no database, and the workload names no operation that reads entities back."
        advice = 'Add one to its workload.toml: read_back = "GetThing", an operation with a reads table.'
    elif not has_query:
        message = "The workload has no audit query, so the stored state could not be audited."
        advice = 'Add one to its workload.toml: audit = "audit.sql", which returns (key, document) of every row.'
    elif not has_ledger:
        message = f"The engine {engine} keeps no ledger, so the stored state could not be audited."
        advice = "Use the native engine for audited runs: --engine native."
    else:
        message = "The run failed before its stored state could be audited."
        advice = "Its figures are not used. Find the cause of the failure, then run it again."
    return Finding("not-audited", "info", message, advice)


def audit_findings(verdict: Audit, preloaded: int = 0) -> list[Finding]:
    """What the audit found. So many rows were `preloaded`, which no operation explains."""
    findings = []
    broken = ", ".join(f"{count:,} {kind}" for kind in _VIOLATIONS if (count := getattr(verdict, kind).count))
    if not verdict.clean:
        findings.append(
            Finding(
                "audit-failed",
                "error",
                f"The audit found acknowledged writes that are not stored correctly: {broken}.",
                "This run is void: throughput without durability does not count. The run's JSON file lists examples.",
            )
        )
    if not verdict.ledger_complete:
        findings.append(
            Finding(
                "audit-incomplete",
                "warning",
                "The ledger of acknowledged writes is truncated, so the audit covers only part of the run.",
                "Run it again: an engine that ends normally writes a complete ledger.",
            )
        )
    if verdict.through:
        checked = verdict.entities if verdict.checked_entities is None else verdict.checked_entities
        which = "all" if checked == verdict.entities else f"{checked:,}"
        findings.append(
            Finding(
                "audited-by-reads",
                "info",
                f"The stored state was read back through {verdict.through}: {which} of {verdict.entities:,} entities.",
                "An audit of a database sees every row; this one sees what the target shows of what it acknowledged. "
                "Of many entities a random sample is read.",
            )
        )
    unexplained = verdict.unexplained_rows.count - preloaded
    if unexplained > 0:
        findings.append(
            Finding(
                "unexplained-rows",
                "warning",
                f"The database contains {unexplained:,} entities that no request sent.",
                "Either another process writes to the table, or the target stores data that it did not receive.",
            )
        )
    return findings


def warm_up_findings(warm_up: WarmUp | None) -> list[Finding]:
    """Whether throughput was still changing when levels were measured; `warm_up` is the run's record of settling."""
    restless = [level for level in ([] if warm_up is None else warm_up.levels) if level.steady is False]
    if warm_up is None or not restless:
        return []
    numbers = [str(level.phase) for level in sorted(restless, key=lambda level: level.phase)]
    before = f"phase {numbers[0]}" if len(numbers) == 1 else f"the phases {', '.join(numbers)}"
    longest_s = max(level.duration_s for level in restless)
    return [
        Finding(
            "not-steady",
            "warning",
            f"Throughput was not steady before {before}, after settling for up to {longest_s:.0f} s ({warm_up.rule}).",
            "The target may still have been warming up when it was measured, or other processes disturbed it. "
            "--warm-up 60s and --settle 30s allow more time, the same for all contenders and rounds.",
        )
    ]


def machine_findings(state: MachineState | None) -> list[Finding]:
    """Whether the machine was given to the run alone; `state` is the run's record of it."""
    state = state or MachineState()
    taken = {
        "other processes": (state.other_cpu_percent, _OTHERS_PERCENT),
        "the hypervisor": (state.steal_percent, _STEAL_PERCENT),
    }
    words = [f"{who} used {used:.0f}%" for who, (used, limit) in taken.items() if used is not None and used > limit]
    if not words:
        return []
    return [
        Finding(
            "noisy-machine",
            "warning",
            f"During the run {' and '.join(words)} of a core.",
            "Stop other work on this machine, or compare only contenders that ran interleaved in many rounds.",
        )
    ]


def sampling_findings(state: MachineState | None, measured_s: float) -> list[Finding]:
    """Whether the lab's own looks were more than next to nothing; `state` is the run's record of its machine."""
    used = (state or MachineState()).sampling_cpu_percent or 0.0
    if used <= _SAMPLING_PERCENT or measured_s < _SAMPLED_S:
        return []
    return [
        Finding(
            "sampling-overhead",
            "warning",
            f"The lab's sampling used {used:.1f}% of a core; above {_SAMPLING_PERCENT:g}% it disturbs the measurement.",
            "Every process of target and database is sampled: fewer workers and connections make sampling cheaper. "
            "On a machine with spare cores, --pin keeps the lab off the target's cores.",
        )
    ]


def waiting_findings(cpu_percent: float | None) -> list[Finding]:
    """Whether the target worked, per cent of one core, while it was the other side's turn."""
    if cpu_percent is None or cpu_percent <= _WAITING_PERCENT:
        return []
    return [
        Finding(
            "busy-while-waiting",
            "warning",
            f"The target used {cpu_percent:.0f}% of a core while the other side was measured; above "
            f"{_WAITING_PERCENT:g}% that slows the other side, and flatters this one.",
            "What it puts off until it has no load (garbage collection, compilation, a flush) is part of its work: "
            "compare the CPU per operation, in which it counts, or measure both commits in comparisons of their own.",
        )
    ]


def gauge_findings(reads: Sequence[GaugeReads]) -> list[Finding]:
    """Whether each process showed the gauges that its target declares."""
    return [
        Finding(
            "gauges-unread",
            "warning",
            f"{each.failed:,} of {each.attempts:,} readings of the gauges of {each.process} failed at {each.address}: "
            f"{each.reason}.",
            "Its gauges are unknown, or known for a part of the time only; all else was measured. Correct path, port "
            "and names of the gauges in its target.toml. A process must answer within a second.",
        )
        for each in reads
        if each.failed > _GAUGES_FAILED_SHARE * each.attempts
    ]


def replica_findings(transactions: str | None) -> list[Finding]:
    """What reads from a replica mean; `transactions` is how many it has served, None where there was none."""
    if transactions is None:
        return []
    return [
        Finding(
            "read-replica",
            "info",
            f"A streaming replica served {int(transactions):,} transactions of the target. Commits waited until it had "
            "applied them, so reads show every change that was acknowledged before.",
            "Its cost is in that of the database, and in the latency of writes: compare with the same target without "
            "--read-replica. A replica that applies changes later is faster to write to and breaks the contract.",
        )
    ]


def clock_findings(state: MachineState | None) -> list[Finding]:
    """Target, database and engine are matched in time by the wall clock; where it jumped, costs are unknown."""
    jump_s = (state or MachineState()).clock_jump_s or 0.0
    if not jump_s:
        return []
    return [
        Finding(
            "clock-adjusted",
            "warning",
            f"The wall clock was adjusted by {jump_s:+.1f} s during the run. Throughput and latency use a monotonic "
            "clock and are valid; CPU and memory of each phase are unknown.",
            "Wait until the clock is synchronised, then run it again to measure the costs.",
        )
    ]


def agents_findings(state: MachineState | None) -> list[Finding]:
    """Whether several agents loaded the target at the same time; `state` is the run's record of its machine."""
    apart_ms = (state or MachineState()).agents_apart_ms or 0.0
    if apart_ms <= _AGENTS_APART_MS:
        return []
    return [
        Finding(
            "agents-not-synchronized",
            "warning",
            f"The agents started a phase {apart_ms:,.0f} ms apart.",
            "The load was lower than planned at the begin and end of each phase, and figures per second are "
            "imprecise. Give the agents more CPU, or a better network.",
        )
    ]


def _engines(name: str, agents: int) -> str:
    return f"the engine {name}" if agents == 1 else f"one of its {agents} engines ({name})"


def _lag_findings(records: Sequence[Record]) -> list[Finding]:
    """Requests that the engine sent late. Time that the target made them wait is no lag of the engine's."""
    findings = []
    for record in records:
        if not isinstance(record, PhaseEnd) or not record.send_lag_histogram:
            continue
        lag_ns = _p99(record.send_lag_histogram)
        latency_ns = _p99(record.latency_histogram)
        if lag_ns > _LAG_NS and lag_ns > _LAG_SHARE * latency_ns:
            findings.append(
                Finding(
                    "generator-lagged",
                    "warning",
                    f"In phase {record.phase + 1} the engine sent requests up to {lag_ns / 1e6:.1f} ms (p99) late, "
                    "although their user was free and their connection had room.",
                    "The engine lacked CPU, which distorts the figures of this phase. Give it its own core (--pin "
                    "engine=1), or lower the load.",
                )
            )
    return findings


def _p99(encoded: str | None) -> float:
    return histograms.summarise(histograms.merge([encoded])).percentiles_ms["p99"] * 1e6
