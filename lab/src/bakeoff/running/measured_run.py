"""One run: drives a target on a fresh table with the engine's phases, and gathers facts for its result."""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bakeoff.builds.digests import content_digest
from bakeoff.builds.sizes import install_bytes, source_lines
from bakeoff.engines.agents import Agents
from bakeoff.engines.stream import EngineSecond, PhaseEnd, PhaseStart, Record
from bakeoff.errors import BakeoffError
from bakeoff.postgres.relations import RequiredTables
from bakeoff.postgres.server import Server
from bakeoff.results.finding_kinds import STOPPED_EARLY
from bakeoff.results.machine_state import MachineState
from bakeoff.results.mode_names import SATURATION, SUSTAINED
from bakeoff.results.run import HOSTILE_CONNECTIONS, RunResult, file_stem
from bakeoff.results.stack import INSTALL_BYTES, SOURCE_LINES
from bakeoff.results.statements import STATEMENTS, as_fact
from bakeoff.running.agent_accounts import accounts_of
from bakeoff.running.alternation import Side
from bakeoff.running.assemble import RunFacts, assemble
from bakeoff.running.crash import Crash
from bakeoff.running.durability_label import DurabilityFacts, durability_facts
from bakeoff.running.environment import environment_of
from bakeoff.running.fresh_state import fresh_state
from bakeoff.running.interrupts import first_interrupt_calls
from bakeoff.running.isolation import pinned_to
from bakeoff.running.measured_records import as_shown, is_edge
from bakeoff.running.observation import Observation, observe, observe_engine
from bakeoff.running.phase_plan import PlannedStep
from bakeoff.running.required_tables import TableWatch, required_tables
from bakeoff.running.run_files import RunFiles, run_files
from bakeoff.running.run_request import RunRequest
from bakeoff.running.service import Service, at_work, reached_by
from bakeoff.running.stage_times import StageTimes
from bakeoff.running.stored_state import audit, has_query, keeps_ledger, preload, redirect
from bakeoff.running.testbed import Testbed
from bakeoff.running.watch import Watch
from bakeoff.sampling.database_activity import DatabaseCounts, DatabaseWatch
from bakeoff.sampling.machine import (
    MachineCounters,
    fsync_ms,
    load_average,
    load_between,
    machine_counters,
    machine_speed_mb_s,
    moved_past,
)
from bakeoff.sampling.maintenance import EdgeVacuum
from bakeoff.targets.hostile_record import hostile_words
from bakeoff.targets.settings import in_words, settings_in_force
from bakeoff.targets.statements_file import stated
from bakeoff.workload.plan_records import Plan

# The second of settling after which the first level's table is vacuumed; one that settles until steady takes six.
_FIRST_VACUUM = 2


def measure(testbed: Testbed, request: RunRequest, side: Side | None = None) -> RunResult:
    """Runs the phases against a freshly started target and a fresh table. A failure is a result too.

    `side` is this run's of an alternation with others.
    """
    with side or Side() as own:
        stages = StageTimes()
        result = assemble(_Drive(testbed, request, own, stages).facts_of_the_run())
        stages.mark("summary")
        if result.machine_state is None:
            return result
        return replace(result, machine_state=replace(result.machine_state, outside_phases_s=stages.seconds))


def vacuum_is_due(record: Record, steps: Sequence[PlannedStep]) -> bool:
    """When a level begins to settle; of the first one some seconds later.

    The first vacuum waits: statistics of an empty table make PostgreSQL keep full-scan plans.
    """
    if not isinstance(record, PhaseStart | EngineSecond) or not steps[record.phase].settles:
        return False
    if record.phase == 0:
        return isinstance(record, EngineSecond) and record.second == _FIRST_VACUUM
    return isinstance(record, PhaseStart)


@dataclass(frozen=True)
class _Concluded:
    """Facts of a run from just before its crash."""

    machine: MachineState
    counts: DatabaseCounts
    durability: DurabilityFacts


class _Drive:
    """A run while it goes on. `_facts` holds what it has shown so far, so that a failure loses none of them."""

    def __init__(self, testbed: Testbed, request: RunRequest, side: Side, stages: StageTimes) -> None:
        self._testbed = testbed
        self._request = request
        self._contender = request.contender
        self._side = side
        self._stages = stages
        self._steps = request.steps
        now, name = datetime.now(UTC), self._contender.target.name
        stem = file_stem(now, request.mode, self._contender.variant.payload)
        self._stream_file = testbed.project.results / name / f"{stem}.stream.jsonl"
        self._log_file = self._stream_file.with_name(f"{stem}.log")
        attached = {"attached": testbed.attached[name].address} if name in testbed.attached else {}
        self._facts = RunFacts(request, now, now, settings=attached)
        self._records: list[Record] = []
        self._stopped_at: PhaseEnd | None = None
        self._watch: Watch | None = None
        self._database: DatabaseWatch | None = None
        self._vacuum: EdgeVacuum | None = None
        self._tables: TableWatch | None = None
        self._concluded: _Concluded | None = None

    def facts_of_the_run(self) -> RunFacts:
        """Everything that it shows until it ends or fails."""
        contender = self._contender
        try:
            whose = (contender.target, contender.workload, contender.variant)
            state = fresh_state(self._testbed, *whose, self._request.seeded)
            with state as self._testbed, contextlib.ExitStack() as stack:
                # When the target has ended, and before its database goes.
                stack.callback(self._note_database)
                self._execute()
        except BakeoffError as error:
            self._facts = replace(self._facts, failure=error.message)
        self._stages.mark("stop")
        if self._watch is not None:
            self._facts = replace(self._facts, watched=self._watch.watched)
        return replace(
            self._facts,
            finished_at=datetime.now(UTC),
            records=self._records,
            stopped_at=self._stopped_at,
            stream_file=self._stream_file if self._stream_file.exists() else None,
        )

    def _execute(self) -> None:
        testbed, contender, target = self._testbed, self._contender, self._contender.target
        self._note(environment_of(target, testbed.server, testbed.launcher))
        self._note(self._target_facts())
        isolation = self._request.options
        required = required_tables(testbed, target, contender.workload, contender.variant)
        with run_files(testbed.project.state / "runs", target.name) as files:
            with at_work(testbed, target, contender.workload, contender.variant, self._log_file, isolation) as service:
                self._measure(service, files, required)
            if self._facts.crashed:
                self._check_after_crash(files)

    def _measure(self, service: Service, files: RunFiles, required: RequiredTables | None) -> None:
        self._facts = replace(self._facts, start_s=service.process.start_s)
        self._watch_tables(required if service.layout is None else RequiredTables(service.layout.relations))
        self._stages.mark("start")
        observed = observe(self._testbed, self._contender.target.name, service)
        self._note(observed.facts)
        self._facts = replace(self._facts, settings={**observed.limits, **self._facts.settings})
        plan = self._prepare(service, files)
        self._stages.mark("preparing")
        observed = self._send_load(service, observed, plan, files)
        phases_ns = sum(record.duration_ns for record in self._records if isinstance(record, PhaseEnd))
        self._stages.mark("engine", without_s=phases_ns / 1e9 + self._side.paused_s)
        if not self._facts.crashed:
            self._check(service, observed, files)

    def _watch_tables(self, required: RequiredTables | None) -> None:
        server = self._testbed.server
        self._tables = None if server is None or required is None else TableWatch(server, required)

    def _prepare(self, service: Service, files: RunFiles) -> Plan:
        testbed, contender = self._testbed, self._contender
        ledger = files.ledger if keeps_ledger(testbed, contender) else None
        plan = self._request.plan(reached_by(testbed.launcher, service.access), ledger)
        self._facts = replace(self._facts, stored=preload(testbed, contender, plan, files))
        return plan

    def _send_load(self, service: Service, observed: Observation, plan: Plan, files: RunFiles) -> Observation:
        """Follows the plan, and watches. Returns what was observed, with the engine."""
        testbed, side = self._testbed, self._side
        engine = testbed.agents(self._request, plan, files, self._stream_file, side.await_step)
        load, (speed, flush_ms) = load_average(), self._speeds()
        with contextlib.ExitStack() as stack:
            if testbed.server is not None:
                self._database = stack.enter_context(DatabaseWatch(testbed.server))
                self._vacuum = stack.enter_context(EdgeVacuum(testbed.server))
            with pinned_to(self._request.options.pin.get("engine")):
                stack.enter_context(engine)
            observed = observed.beside("engine", observe_engine(testbed, engine))
            self._note(observed.facts)
            watch = self._watch = Watch(observed, service.process.gauge_endpoints, wanted=lambda: side.works)
            before = machine_counters()
            crash = self._crash(service, engine)
            with crash, watch, first_interrupt_calls(side.interrupted_by(engine.interrupt)):
                engine.records(self._on_record(service, engine, watch, before, crash))
            self._facts = replace(self._facts, crashed=crash.has_come)
            loaded = self._concluded.machine if self._concluded else self._loaded_machine(watch, before)
            side.await_end()
            accounts = accounts_of(engine, plan, self._records)
            speed_after, flush_after_ms = self._speeds()
            machine = replace(
                loaded,
                speed_mb_s=speed,
                speed_after_mb_s=speed_after,
                fsync_before_ms=flush_ms,
                fsync_after_ms=flush_after_ms,
                load_average_before=load,
                agents_apart_ms=engine.begun_apart_ns / 1e6 if len(engine.names) > 1 else None,
            )
            self._facts = replace(self._facts, accounts=accounts, machine=machine)
        return observed

    def _check(self, service: Service, observed: Observation, files: RunFiles) -> None:
        """Whether the roles are what they were, and whether what was acknowledged is stored."""
        if service.has_ended:
            raise service.ended_error()
        observed.check()
        self._note(service.facts())
        self._audit(files)

    def _check_after_crash(self, files: RunFiles) -> None:
        """Whether what was acknowledged has survived; without a query a new process reads what the database holds."""
        testbed, contender = self._testbed, self._contender
        with contextlib.ExitStack() as stack:
            if not has_query(testbed, contender):
                log = contender.target.project.logs / f"{contender.target.name}-after-crash.log"
                service = stack.enter_context(
                    at_work(testbed, contender.target, contender.workload, contender.variant, log)
                )
                access, created = reached_by(testbed.launcher, service.access), self._facts.stored.created
                for each in [files, *([created.files] if created is not None and created.files is not None else [])]:
                    redirect(each.plan, access.host, access.port)
            self._audit(files)

    def _audit(self, files: RunFiles) -> None:
        stored = audit(self._testbed, self._contender, files, self._facts.stored)
        self._facts = replace(self._facts, stored=stored)
        self._stages.mark("audit")
        accounts = self._facts.accounts
        assert accounts is not None
        self._note(accounts.facts())
        if not accounts.is_one_here:
            self._testbed.progress.say(f"{self._contender.key}: {accounts.line(stored.verdict)}")

    def _note_database(self) -> None:
        """The database's counts, and whether what it stored is durable."""
        if self._database is not None and self._vacuum is not None:
            concluded = self._concluded
            counts = self._database.counts(self._vacuum.spans) if concluded is None else concluded.counts
            durability = self._durability_facts(self._database.server)
            durability = durability.beside([] if self._tables is None else self._tables.problems)
            durability = durability.beside([] if concluded is None else concluded.durability.problems or [])
            self._facts = replace(self._facts, database=counts, durability=durability)

    def _durability_facts(self, server: Server) -> DurabilityFacts:
        overlay = self._contender.overlay
        return durability_facts(server, None if overlay is None else overlay.durability)

    def _conclude(self, service: Service, watch: Watch, before: MachineCounters) -> None:
        """Notes everything that the crash would change: the last window is over."""
        if self._database is None or self._vacuum is None or self._concluded is not None:
            return
        counts = self._database.conclude(self._vacuum.spans)
        machine = self._loaded_machine(watch, before)
        watch.close()
        self._note(service.facts())
        self._concluded = _Concluded(machine, counts, self._durability_facts(self._database.server))

    def _crash(self, service: Service, engine: Agents) -> Crash:
        """The crash that the request wants, at an instant that follows its `begin`."""
        return Crash(
            self._testbed.database, [service.kill, engine.interrupt], self._request.options.pin.get("database")
        )

    def _note(self, facts: Mapping[str, str]) -> None:
        self._facts = replace(self._facts, environment={**self._facts.environment, **facts})

    def _target_facts(self) -> dict[str, str]:
        """Where it stores; its settings, artifact and log, unknown of an attached target; what laid out its tables."""
        contender, target, overlay = self._contender, self._contender.target, self._contender.overlay
        facts: dict[str, str | None] = {"storage": contender.storage}
        if overlay is not None:
            # Its name alone does not change with its content.
            facts["overlay_sha256"] = content_digest(overlay.files)
        if target.name not in self._testbed.attached:
            facts |= {
                "target_settings": in_words(settings_in_force(target, contender.variant.settings, os.environ)),
                "target_replaces": "; ".join(each.words for each in target.manifest.replaces),
                "target_documented_settings": "; ".join(each.words for each in target.manifest.documented_settings),
                HOSTILE_CONNECTIONS: hostile_words(self._testbed.project, target),
                STATEMENTS: as_fact(stated(target)),
                "target_artifact_sha256": target.build.artifact_sha256,
                INSTALL_BYTES: _as_fact(install_bytes(target.build)),
                SOURCE_LINES: _as_fact(source_lines(target.build, contender.workload.directory)),
                "target_log": self._testbed.project.relative(self._log_file),
                "target_memory_limit_mib": self._request.options.memory_limit_mib,
            }
        return {name: fact for name, fact in facts.items() if fact}

    def _speeds(self) -> tuple[float, float | None]:
        """MB/s of a core, and ms of a small write where the database keeps its data; None unless it is the lab's."""
        server = self._testbed.server
        disk = server.data_directory() if server is not None and server.embedded else None
        return machine_speed_mb_s(), None if disk is None else fsync_ms(disk)

    def _loaded_machine(self, watch: Watch, before: MachineCounters) -> MachineState:
        before, after = moved_past(before, self._side.pauses), machine_counters()
        server, places = self._testbed.server, self._testbed.places
        roles = {"target", *([] if places else ["engine"]), *([] if server is None else ["database"])}
        own_cpu_s = watch.own_cpu_s + (0.0 if self._database is None else self._database.own_cpu_s)
        return load_between(before, after, watch.cpu_s(roles), own_cpu_s)

    def _on_record(
        self, service: Service, engine: Agents, watch: Watch, before: MachineCounters, crash: Crash
    ) -> Callable[[Record], None]:
        def on_record(record: Record) -> None:
            self._records.append(record)
            if self._concluded is None:
                self._look_at_edge(record, watch)
            # Of a sustained run, autovacuum's work is part of what it shows.
            is_own = self._request.mode != SUSTAINED
            if self._vacuum is not None and is_own and vacuum_is_due(record, self._steps):
                self._vacuum.begin()
            is_last = self._stops_after(record)
            if self._request.crashes and (is_last or self._begins_crash(record)):
                self._conclude(service, watch, before)
                crash.begin()
            elif service.has_ended or is_last:
                engine.interrupt()
            if self._side.is_first:
                self._show(record, watch)

        return on_record

    def _look_at_edge(self, record: Record, watch: Watch) -> None:
        """Samples at the edges of phases, of a level in slices at each; the database at those of levels."""
        if isinstance(record, PhaseStart | PhaseEnd):
            watch.sample()
        if self._database is not None and is_edge(record, self._steps):
            self._database.mark()
            if self._tables is not None:
                self._tables.look()

    def _begins_crash(self, record: Record) -> bool:
        return isinstance(record, PhaseStart) and self._steps[record.phase].crashes

    def _show(self, record: Record, watch: Watch) -> None:
        shown = as_shown(record, self._steps)
        if shown is not None:
            self._testbed.progress.record(shown)
        if isinstance(record, EngineSecond):
            self._testbed.progress.usage(watch.latest_cpu_percent)

    def _stops_after(self, record: Record) -> bool:
        """Whether a run to saturation ends with this phase, since too many of its requests failed."""
        if self._request.mode != SATURATION or not isinstance(record, PhaseEnd) or record.sent == 0:
            return False
        is_last = not any(step.measures for step in self._steps[record.phase + 1 :])
        if is_last or self._stopped_at is not None or record.failed / record.sent <= STOPPED_EARLY.limits[0]:
            return False
        self._stopped_at = record
        return True


def _as_fact(count: int | None) -> str | None:
    return None if count is None else str(count)
