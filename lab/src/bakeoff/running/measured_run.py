"""One run: a fresh table, the target, the engine's phases, and what came of them."""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bakeoff.builds.digests import content_digest
from bakeoff.engines.agents import Agents
from bakeoff.engines.stream import End, EngineSecond, PhaseEnd, PhaseStart, Record, Start
from bakeoff.errors import BakeoffError
from bakeoff.results.finding_kinds import STOPPED_EARLY, VOIDING
from bakeoff.results.findings import Finding
from bakeoff.results.mode_names import SATURATION
from bakeoff.results.run import Measured, PhaseResult, RunResult, Status, file_stem
from bakeoff.results.warm_up_record import WarmUp
from bakeoff.running import durability_label, findings, operation_findings, summary
from bakeoff.running.agent_accounts import AgentAccounts, accounts_of
from bakeoff.running.alternation import Side
from bakeoff.running.durability_label import DurabilityCheck
from bakeoff.running.environment import environment_of
from bakeoff.running.generator import generator_of
from bakeoff.running.interrupts import first_interrupt_calls
from bakeoff.running.isolation import pinned_to
from bakeoff.running.measured_records import as_shown, measured_records, pauses_in
from bakeoff.running.memory_growth import memory_findings
from bakeoff.running.observation import observe, observe_engine
from bakeoff.running.operation_findings import always_failing
from bakeoff.running.phase_plan import Step
from bakeoff.running.run_files import RunFiles, run_files
from bakeoff.running.run_request import RunRequest
from bakeoff.running.service import Service, at_work, reached_by
from bakeoff.running.settling import settled_in
from bakeoff.running.stage_times import StageTimes
from bakeoff.running.stored_state import StoredState
from bakeoff.running.testbed import Testbed
from bakeoff.running.watch import Watch, Watched
from bakeoff.sampling.activity import DatabaseActivity
from bakeoff.sampling.database_activity import DatabaseWatch
from bakeoff.sampling.disk import fsync_ms
from bakeoff.sampling.machine import (
    MachineState,
    load_average,
    load_between,
    machine_counters,
    machine_speed_mb_s,
    moved_past,
)
from bakeoff.sampling.maintenance import EdgeVacuum
from bakeoff.targets.settings import in_words, settings_in_force
from bakeoff.workload.plan import THRESHOLDS

# The second of settling after which the first level's table is vacuumed; one that settles until steady takes six.
_FIRST_VACUUM = 2


def measure(testbed: Testbed, request: RunRequest, side: Side | None = None) -> RunResult:
    """Runs the phases against a freshly started target and a fresh table. A failure is a result too.

    `side` is this run's of an alternation with others.
    """
    with side or Side() as own:
        return _Run(testbed, request, own).result()


def vacuum_is_due(record: Record, steps: Sequence[Step]) -> bool:
    """When a level begins to settle; of the first one, which begins with an empty table, some seconds later.

    The statistics of an empty table make PostgreSQL keep plans that read all of it when it has grown.
    """
    if not isinstance(record, PhaseStart | EngineSecond) or steps[record.phase].measures:
        return False
    if record.phase == 0:
        return isinstance(record, EngineSecond) and record.second == _FIRST_VACUUM
    return isinstance(record, PhaseStart)


class _Run:
    """The parts of one run that only make sense together."""

    def __init__(self, testbed: Testbed, request: RunRequest, side: Side) -> None:
        self._testbed = testbed
        self._request = request
        self._side = side
        self._target = request.contender.target
        self._started_at = datetime.now(UTC)
        self._stages = StageTimes()
        self._steps = request.steps
        stem = file_stem(self._started_at, request.mode, request.contender.variant.payload)
        self._stream_file = testbed.project.results / self._target.name / f"{stem}.stream.jsonl"
        self._log_file = self._stream_file.with_name(f"{stem}.log")
        self._records: list[Record] = []
        self._watch: Watch | None = None
        self._start_s: float | None = None
        self._stored = StoredState(testbed, request.contender)
        self._environment: Mapping[str, str] = {}
        self._limits: Mapping[str, str] = {}
        self._machine_state: MachineState | None = None
        self._database_watch: DatabaseWatch | None = None
        self._vacuum: EdgeVacuum | None = None
        self._durability: DurabilityCheck | None = None
        self._stopped_at: PhaseEnd | None = None
        self._accounts: AgentAccounts | None = None

    def result(self) -> RunResult:
        try:
            status, failure = self._execute(), None
        except BakeoffError as error:
            status, failure = Status.FAILED, error.message
        request, contender = self._request, self._request.contender
        # Phases are found among the samples by the wall clock: one that jumped would mix them up.
        jumped = self._machine_state is not None and self._machine_state.clock_jump_s
        pauses = pauses_in(self._records, self._steps)
        watched = Watched() if self._watch is None or jumped else self._watch.without(pauses)
        records = measured_records(self._records, self._steps)
        phases = summary.phase_results(records, watched.samples, request.phases, watched.processes, watched.gauges)
        total = summary.total_of(phases)
        warmed = settled_in(self._records, self._steps)
        version = next((record.engine.version for record in self._records if isinstance(record, Start)), "unknown")
        ceilings = request.ceilings(version)
        found: list[Finding] = []
        if total is not None and status is Status.INTERRUPTED:
            # Phases that Ctrl-C cut short show nothing about the target; lost writes count all the same.
            found += self._stored.findings() + self._miscounts()
            found += operation_findings.wrong_reads(total)
        elif total is not None:
            found += self._findings(records, phases, total, warmed, ceilings) + self._miscounts()
            found += memory_findings(watched.samples, phases)
        if any(finding.kind in VOIDING for finding in found):
            status = Status.VOID
        elif status is Status.COMPLETED and total is not None and (failing := always_failing(total)):
            status, failure = Status.FAILED, failing
        timeline, activity = summary.timeline_of(records), self._database_activity([] if jumped else phases)
        label, contrary = durability_label.judged(self._durability, activity, contender.proof.durability)
        found += contrary
        self._stages.mark("summary")
        return RunResult(
            target=self._target.name,
            workload=contender.workload.name,
            language=self._target.language,
            protocol=self._target.protocol,
            mode=request.mode,
            payload=contender.variant.payload,
            engine=contender.engine.name,
            engine_version=version,
            settings={**request.settings, **self._limits, **self._attached()},
            started_at=self._started_at,
            finished_at=datetime.now(UTC),
            status=status,
            failure=failure,
            start_to_healthy_s=self._start_s,
            phases=phases,
            total=total,
            samples=watched.samples,
            findings=found,
            audit=self._stored.verdict,
            ceilings=ceilings,
            environment=self._environment,
            stream_file=self._stream_file if self._stream_file.exists() else None,
            contender=contender.key,
            factors=contender.factors,
            round=request.round,
            timeline=timeline,
            warm_up=warmed,
            database_activity=activity,
            machine_state=self._machine_state_in_full(),
            target_class=self._target.target_class,
            contract_profile=contender.proof.profile,
            durability=label,
            checks=summary.checks_of(self._records),
            workload_digest=contender.workload.digest,
            vectors_digest=contender.workload.vectors_digest,
        )

    def _miscounts(self) -> list[Finding]:
        """Where the counts of agents, ledgers and table disagree."""
        if self._accounts is None:
            return []
        return self._accounts.findings(self._stored.verdict, self._request.contender.variant.preload)

    def _attached(self) -> dict[str, str]:
        """Where a target runs that the lab did not start; its own settings are out of sight."""
        access = self._testbed.attached.get(self._target.name)
        return {} if access is None else {"attached": access.address}

    def _of_the_target(self) -> dict[str, str]:
        """Its settings, those left as they are too, its artifact and its log; unknown of an attached target."""
        if self._target.name in self._testbed.attached:
            return {}
        found = settings_in_force(self._target, self._request.contender.variant.settings, os.environ)
        facts = {
            "target_settings": in_words(found),
            "api_replaces": "; ".join(each.words for each in self._target.manifest.replaces),
            "api_documented_settings": "; ".join(each.words for each in self._target.manifest.documented_settings),
            "api_artifact_sha256": self._target.build.artifact_sha256,
            "api_log": self._testbed.project.relative(self._log_file),
            "target_memory_limit_mib": self._request.isolation.memory_limit_mib,
        }
        return {name: fact for name, fact in facts.items() if fact}

    def _overlay_facts(self) -> dict[str, str]:
        """What laid out the tables, whose name alone does not change with its content."""
        overlay = self._request.contender.overlay
        return {} if overlay is None else {"overlay_sha256": content_digest(overlay.files)}

    @property
    def _durability_elsewhere(self) -> Path | None:
        overlay = self._request.contender.overlay
        return None if overlay is None else overlay.durability

    def _execute(self) -> Status:
        contender, request = self._request.contender, self._request
        self._environment = {
            **environment_of(self._testbed.project, self._target, self._testbed.server),
            **self._of_the_target(),
            "storage": contender.place,
            **self._overlay_facts(),
        }
        with (
            run_files(self._testbed.project.state / "runs", self._target.name) as files,
            at_work(
                self._testbed, self._target, contender.workload, contender.variant, self._log_file, request.isolation
            ) as service,
        ):
            self._start_s = service.start_s
            self._stages.mark("start")
            status = self._drive(service, files)
        self._stages.mark("stop")
        return status

    def _drive(self, target: Service, files: RunFiles) -> Status:
        seen = observe(self._testbed, self._target.name, target)
        self._environment, self._limits = {**self._environment, **seen.facts}, seen.limits
        plan = self._request.plan(
            reached_by(self._testbed.launcher, target.access), files.ledger if self._stored.keeps_ledger else None
        )
        self._stored.preload(plan, files)
        self._stages.mark("preparing")
        engine = generator_of(self._testbed, self._request, plan, files, self._stream_file, self._side.await_step)
        disk = self._disk()
        speed, load, flush_ms = machine_speed_mb_s(), load_average(), None if disk is None else fsync_ms(disk)
        with contextlib.ExitStack() as stack:
            if self._testbed.server is not None:
                self._durability = durability_label.begun(self._testbed.server, self._durability_elsewhere)
                self._database_watch = stack.enter_context(DatabaseWatch(self._testbed.server))
                self._vacuum = stack.enter_context(EdgeVacuum(self._testbed.server))
            with pinned_to(self._request.isolation.pin.get("engine")):
                stack.enter_context(engine)
            seen = seen.beside("engine", observe_engine(self._testbed, engine))
            self._environment = {**self._environment, **seen.facts}
            self._watch = Watch(seen, target.gauge_endpoints, wanted=lambda: self._side.works)
            before = machine_counters()
            on_interrupt = self._side.interrupted_by(engine.interrupt)
            with self._watch, first_interrupt_calls(on_interrupt):
                engine.records(self._on_record(target, engine))
            before, after = moved_past(before, self._side.pauses), machine_counters()
            around = load_between(before, after, self._watch.cpu_s(self._expected_roles()), self._looking_cpu_s())
            self._side.await_end()
            self._accounts = accounts_of(engine, plan, self._records)
            apart_ms = engine.begun_apart_ns / 1e6 if len(engine.names) > 1 else None
            self._machine_state = replace(
                around,
                speed_mb_s=speed,
                speed_after_mb_s=machine_speed_mb_s(),
                fsync_before_ms=flush_ms,
                fsync_after_ms=None if disk is None else fsync_ms(disk),
                load_average_before=load,
                agents_apart_ms=apart_ms,
            )
        phases_ns = sum(record.duration_ns for record in self._records if isinstance(record, PhaseEnd))
        self._stages.mark("engine", without_s=phases_ns / 1e9 + self._side.paused_s)
        if target.has_ended:
            raise target.ended_error()
        seen.check()
        self._environment = {**self._environment, **target.facts()}
        self._stored.audit(files)
        self._stages.mark("audit")
        self._environment = {**self._environment, **self._accounts.facts()}
        if not self._accounts.is_one_here:
            self._testbed.progress.say(f"{self._request.contender.key}: {self._accounts.line(self._stored.verdict)}")
        last = self._records[-1]
        self._records = self._up_to_the_stop()
        if self._stopped_at is not None:
            return Status.COMPLETED
        return Status.INTERRUPTED if isinstance(last, End) and last.reason == "interrupted" else Status.COMPLETED

    def _disk(self) -> Path | None:
        """Where the database keeps its data, which is known of the lab's own."""
        server = self._testbed.server
        return server.data_directory() if server is not None and server.embedded else None

    def _expected_roles(self) -> set[str]:
        """Those that use the CPU of this machine: an engine on another one takes nothing of it."""
        here = set() if self._testbed.places else {"engine"}
        return {"target", *here, *(["database"] if self._testbed.server is not None else [])}

    def _looking_cpu_s(self) -> float:
        """CPU time that the lab's own looks have taken it."""
        looks = (self._watch, self._database_watch)
        return sum(each.own_cpu_s for each in looks if each is not None)

    def _machine_state_in_full(self) -> MachineState | None:
        if self._machine_state is None:
            return None
        return replace(self._machine_state, outside_phases_s=self._stages.seconds)

    def _database_activity(self, phases: Sequence[PhaseResult]) -> DatabaseActivity | None:
        acknowledged = sum(record.operations for record in self._records if isinstance(record, PhaseEnd))
        spans = {phase.number: (phase.begin_ns, phase.end_ns) for phase in phases}
        if self._database_watch is None:
            return None
        self._database_watch.note_vacuums([] if self._vacuum is None else self._vacuum.spans)
        return self._database_watch.activity(acknowledged, spans)

    def _at_edge(self) -> None:
        """What the lab does where phases begin and end."""
        if self._watch is not None:
            self._watch.sample()
        if self._database_watch is not None:
            self._database_watch.mark()

    def _on_record(self, target: Service, engine: Agents) -> Callable[[Record], None]:
        def on_record(record: Record) -> None:
            self._records.append(record)
            if isinstance(record, PhaseStart | PhaseEnd):
                self._at_edge()
            if self._vacuum is not None and vacuum_is_due(record, self._steps):
                self._vacuum.begin()
            if target.has_ended or self._stops_after(record):
                engine.interrupt()
            if self._side.is_first:
                self._show(record)

        return on_record

    def _show(self, record: Record) -> None:
        shown = as_shown(record, self._steps)
        if shown is not None:
            self._testbed.progress.record(shown)
        if isinstance(record, EngineSecond) and self._watch is not None:
            self._testbed.progress.usage(self._watch.latest_cpu_percent)

    def _stops_after(self, record: Record) -> bool:
        """Whether a run to saturation ends with this phase, since too many of its requests failed."""
        if self._request.mode != SATURATION or not isinstance(record, PhaseEnd) or record.sent == 0:
            return False
        is_last = record.phase == len(self._steps) - 1
        if is_last or self._stopped_at is not None or record.failed / record.sent <= STOPPED_EARLY.limits[0]:
            return False
        self._stopped_at = record
        return True

    def _up_to_the_stop(self) -> list[Record]:
        """The records without those of a phase that had begun when the run was stopped."""
        last = len(self._steps) if self._stopped_at is None else self._stopped_at.phase
        return [record for record in self._records if getattr(record, "phase", 0) <= last]

    def _findings(
        self,
        records: Sequence[Record],
        phases: Sequence[PhaseResult],
        total: Measured,
        warmed: WarmUp | None,
        ceilings: Mapping[str, float],
    ) -> list[Finding]:
        request, engine = self._request, self._request.contender.engine
        peak = max(phase.measured.throughput_per_s for phase in phases)
        found = findings.findings_of(total, THRESHOLDS, self._environment.get("api_log"))
        found += operation_findings.found(total, summary.checks_of(self._records))
        if request.mode != "smoke":
            command = f"./bakeoff calibrate --engine {engine.name}{request.way.options}"
            found += findings.generator_findings(
                records, peak, ceilings.get("engine"), engine.name, command, request.agents
            )
        found += self._stored.findings()
        found += findings.stop_findings(self._stopped_at, self._steps)
        found += findings.warm_up_findings(warmed) + findings.agents_findings(self._machine_state)
        found += findings.sampling_findings(self._machine_state, total.duration_s)
        if self._watch is not None:
            waiting = self._watch.waiting_cpu_percent(pauses_in(self._records, self._steps))
            found += findings.waiting_findings(waiting) + findings.gauge_findings(self._watch.gauge_reads)
        found += findings.replica_findings(self._environment.get("replica_transactions"))
        return found + findings.machine_findings(self._machine_state) + findings.clock_findings(self._machine_state)
