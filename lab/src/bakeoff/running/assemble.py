"""Assembles the result of a run from the facts that it gathered. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from bakeoff.engines.stream import End, PhaseEnd, Record, Start
from bakeoff.project import COMMAND
from bakeoff.results.database_activity import DatabaseActivity
from bakeoff.results.finding_kinds import AUDIT_FAILED, VOIDING
from bakeoff.results.findings import Finding
from bakeoff.results.machine_state import MachineState
from bakeoff.results.mode_names import SUSTAINED
from bakeoff.results.run import Measured, PhaseResult, RunResult, Status
from bakeoff.results.warm_up_record import WarmUp
from bakeoff.running import durability_label, findings, summary
from bakeoff.running.agent_accounts import AgentAccounts
from bakeoff.running.durability_label import DurabilityFacts, DurabilityProof
from bakeoff.running.findings import memory_findings
from bakeoff.running.measured_records import counts_without, maintained_s, measured_records, pauses_in
from bakeoff.running.run_request import RunRequest
from bakeoff.running.stored_state import StoredFacts, stored_findings
from bakeoff.running.summary import settled_in
from bakeoff.running.watch import Watched
from bakeoff.sampling.database_activity import DatabaseCounts
from bakeoff.workload.plan import THRESHOLDS


@dataclass(frozen=True)
class RunFacts:
    """Everything that a run showed until it ended or failed; None is what it did not come to.

    `records` are those of the whole stream. `stopped_at` ended a run to saturation, and `failure` says why a run came
    to no end. `crashed`: database and target were killed after the last window. `settings` are those that others have
    set, and `start_s` is the time from start to healthy.
    """

    request: RunRequest
    started_at: datetime
    finished_at: datetime
    records: Sequence[Record] = ()
    stopped_at: PhaseEnd | None = None
    failure: str | None = None
    start_s: float | None = None
    stream_file: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    watched: Watched = field(default_factory=Watched)
    machine: MachineState | None = None
    database: DatabaseCounts | None = None
    durability: DurabilityFacts | None = None
    stored: StoredFacts = field(default_factory=StoredFacts)
    accounts: AgentAccounts | None = None
    crashed: bool = False

    @property
    def status(self) -> Status:
        """How the run ended, whatever its findings are."""
        if self.failure is not None:
            return Status.FAILED
        last = self.records[-1] if self.records else None
        ended_as_planned = self.stopped_at is not None or self.crashed
        is_cut_short = isinstance(last, End) and last.reason == "interrupted" and not ended_as_planned
        return Status.INTERRUPTED if is_cut_short else Status.COMPLETED

    @property
    def proof(self) -> DurabilityProof | None:
        """The verdict on what the crash left; None where none came, or nothing was acknowledged before."""
        verdict = self.stored.verdict
        if not self.crashed or verdict is None or not verdict.acknowledged_operations:
            return None
        wrong = verdict.wrong.count + verdict.stale.count
        return DurabilityProof(verdict.acknowledged_operations, verdict.lost.count, wrong)


@dataclass(frozen=True)
class _Figures:
    """The figures of a run: `watched` lies on the clock that stood still while the run waited for others."""

    records: Sequence[Record]
    watched: Watched
    phases: Sequence[PhaseResult]
    total: Measured | None
    warm_up: WarmUp | None
    checks: Mapping[str, float]
    engine_version: str
    activity: DatabaseActivity | None


def assemble(facts: RunFacts) -> RunResult:
    """The result of a run; it is void where a finding says that its figures must not be used."""
    figures = _figures_of(facts)
    found = _findings_of(facts, figures)
    status, failure = _status_of(facts, figures.total, found)
    request, contender, target = facts.request, facts.request.contender, facts.request.contender.target
    pauses = pauses_in(facts.records, request.steps)
    written = [] if facts.database is None else counts_without(pauses, facts.database).written
    label, contrary = durability_label.judged(facts.durability, written, facts.proof, contender.storage)
    return RunResult(
        target=target.name,
        workload=contender.workload.name,
        language=target.language,
        protocol=target.protocol,
        mode=request.mode,
        payload=contender.variant.payload,
        engine=contender.engine.name,
        engine_version=figures.engine_version,
        settings={**request.settings, **facts.settings},
        started_at=facts.started_at,
        finished_at=facts.finished_at,
        status=status,
        failure=failure,
        start_to_healthy_s=facts.start_s,
        phases=list(figures.phases),
        total=figures.total,
        samples=figures.watched.samples,
        findings=[*found, *contrary],
        audit=facts.stored.verdict,
        ceilings=request.ceilings(figures.engine_version),
        environment=facts.environment,
        stream_file=facts.stream_file,
        contender=contender.key,
        factors=contender.factors,
        round=request.round,
        timeline=summary.timeline_of(figures.records),
        warm_up=figures.warm_up,
        database_activity=figures.activity,
        machine_state=facts.machine,
        target_class=target.target_class,
        contract_profile=contender.proof.profile,
        durability=label,
        checks=figures.checks,
        workload_digest=contender.workload.digest,
        vectors_digest=contender.workload.vectors_digest,
    )


def _figures_of(facts: RunFacts) -> _Figures:
    request, steps, stopped_at = facts.request, facts.request.steps, facts.stopped_at
    # Without the records of a phase that had begun when the run was stopped.
    whole = [each for each in facts.records if stopped_at is None or getattr(each, "phase", 0) <= stopped_at.phase]
    records = measured_records(whole, steps)
    # Phases are found among the samples by the wall clock: one that jumped would mix them up.
    jumped = facts.machine is not None and facts.machine.clock_jump_s
    pauses = pauses_in(whole, steps)
    watched = Watched() if jumped else facts.watched.without(pauses)
    phases = summary.phase_results(records, watched.samples, request.phases, watched.processes, watched.gauges)
    acknowledged = sum(
        record.operations for record in whole if isinstance(record, PhaseEnd) and not steps[record.phase].crashes
    )
    spans = {} if jumped else {phase.number: (phase.begin_ns, phase.end_ns) for phase in phases}
    start = next((record for record in whole if isinstance(record, Start)), None)
    return _Figures(
        records=records,
        watched=watched,
        phases=phases,
        total=summary.total_of(phases),
        warm_up=settled_in(whole, steps, request.warm_up_s),
        checks={} if start is None else start.checks,
        engine_version="unknown" if start is None else start.engine.version,
        activity=None
        if facts.database is None
        else counts_without(pauses, facts.database).activity(acknowledged, spans),
    )


def _status_of(facts: RunFacts, total: Measured | None, found: Sequence[Finding]) -> tuple[Status, str | None]:
    if any(finding.kind in VOIDING for finding in found):
        return Status.VOID, facts.failure
    if facts.status is Status.COMPLETED and total is not None:
        failing = findings.always_failing(total, facts.request.contender.workload)
        return (Status.FAILED, failing) if failing else (Status.COMPLETED, None)
    return facts.status, facts.failure


def _findings_of(facts: RunFacts, figures: _Figures) -> list[Finding]:
    total, contender = figures.total, facts.request.contender
    if total is None:
        return []
    stored = stored_findings(contender, facts.stored)
    if facts.crashed:
        # What a crash loses is the label's business.
        stored = [each for each in stored if each.kind != AUDIT_FAILED.name]
    miscounts: list[Finding] = []
    if facts.accounts is not None:
        miscounts = facts.accounts.findings(facts.stored.verdict, contender.variant.preload)
    if facts.status is Status.INTERRUPTED:
        # Phases that Ctrl-C cut short show nothing about the target; lost writes count all the same.
        return [*stored, *miscounts, *findings.wrong_reads(total)]
    return [
        *findings.findings_of(total, THRESHOLDS, facts.environment.get("target_log")),
        *findings.operation_findings(total, figures.checks),
        *_generator_findings(facts, figures),
        *stored,
        *findings.stop_findings(facts.stopped_at, facts.request.steps),
        *findings.warm_up_findings(figures.warm_up, _loads(figures)),
        *findings.machine_findings(facts.machine, total.duration_s),
        *_waiting_findings(facts),
        *findings.gauge_findings(facts.watched.gauge_reads),
        *_sustained_findings(facts, figures),
        *findings.replica_findings(facts.environment.get("replica_transactions")),
        *miscounts,
        *memory_findings(figures.watched.samples, figures.phases),
    ]


def _waiting_findings(facts: RunFacts) -> list[Finding]:
    """Work for this run while the other side was measured."""
    pauses = pauses_in(facts.records, facts.request.steps)
    target_percent, database_percent = (
        facts.watched.waiting_cpu_percent(role, pauses) for role in ("target", "database")
    )
    maintained = 0.0 if facts.database is None else maintained_s(pauses, facts.database)
    return findings.waiting_findings(target_percent, database_percent, maintained)


def _sustained_findings(facts: RunFacts, figures: _Figures) -> list[Finding]:
    if facts.request.mode != SUSTAINED:
        return []
    buffers = None if facts.database is None else facts.database.buffers_bytes
    return findings.sustained_findings(figures.activity, buffers)


def _generator_findings(facts: RunFacts, figures: _Figures) -> list[Finding]:
    request, engine = facts.request, facts.request.contender.engine
    if request.mode == "smoke":
        return []
    peak_per_s = max(phase.measured.throughput_per_s for phase in figures.phases)
    ceiling_per_s = request.ceilings(figures.engine_version).get("engine")
    command = f"{COMMAND} calibrate --engine {engine.name}{request.transport.options}"
    return findings.generator_findings(
        figures.records, peak_per_s, ceiling_per_s, engine.name, command, request.agents, _loads(figures)
    )


def _loads(figures: _Figures) -> dict[int, str]:
    return {phase.number: phase.load for phase in figures.phases}
