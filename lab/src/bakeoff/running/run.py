"""One run: a fresh table, the target, the engine's phases, and what came of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bakeoff.engines.process import EngineProcess
from bakeoff.engines.stream import Record
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running import findings, summary, warm_up
from bakeoff.running.audit import audit_run
from bakeoff.running.environment import environment_of
from bakeoff.running.interrupts import first_interrupt_calls
from bakeoff.running.progress import Progress
from bakeoff.running.result import Finding, Measured, PhaseResult, RunResult, Status, file_stem
from bakeoff.running.run_request import RunRequest
from bakeoff.sampling.cost import latest_cpu_percent
from bakeoff.sampling.sampler import Sampler
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import Target
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import THRESHOLDS


@dataclass(frozen=True)
class Bench:
    """What runs share: the checkout, the application database (None where the workload uses none), the display."""

    project: Project
    server: Server | None
    progress: Progress


def fresh_table(workload: Workload, server: Server) -> None:
    """Drops what earlier runs stored and writes out what they left in memory."""
    script = workload.sql("reset")
    if script is not None:
        server.execute_script(script)
    server.checkpoint()


def variables_of(target: Target, settings: Mapping[str, str]) -> dict[str, str]:
    """The target's own environment variables for settings of the lab's names."""
    return {target.setting_variable(name): value for name, value in settings.items()}


def measure(bench: Bench, request: RunRequest) -> RunResult:
    """Runs the phases against a freshly started target and a fresh table. A failure is a result too."""
    return _Run(bench, request).result()


class _Run:
    """The parts of one run that only make sense together."""

    def __init__(self, bench: Bench, request: RunRequest) -> None:
        self._bench = bench
        self._request = request
        self._target = request.contender.target
        self._started_at = datetime.now(UTC)
        stem = file_stem(self._started_at, request.mode, request.contender.variant.payload)
        self._stream_file = bench.project.results / self._target.name / f"{stem}.stream.jsonl"
        self._records: list[Record] = []
        self._sampler: Sampler | None = None
        self._start_s: float | None = None
        self._audit: Mapping[str, Any] | None = None
        self._environment: Mapping[str, str] = {}
        self._plan_file = bench.project.state / "plans" / f"{self._target.name}.json"
        self._ledger = bench.project.state / "ledgers" / f"{self._target.name}.ledger"

    def result(self) -> RunResult:
        try:
            status, failure = self._execute(), None
        except BakeoffError as error:
            status, failure = Status.FAILED, error.message
        request, contender = self._request, self._request.contender
        samples = [] if self._sampler is None else self._sampler.samples
        records = summary.without_first_phase(self._records) if request.warm_up_s else self._records
        phases = summary.phase_results(records, samples, request.phases)
        total = summary.total_of(phases, samples)
        warmed = self._warm_up()
        found = [] if total is None else self._findings(records, phases, total, warmed)
        if any(finding.kind == "audit-failed" for finding in found):
            status = Status.VOID
        engine = next((record["engine"] for record in self._records if record["type"] == "start"), None)
        return RunResult(
            target=self._target.name,
            workload=contender.workload.name,
            language=self._target.language,
            protocol=self._target.protocol,
            mode=request.mode,
            payload=contender.variant.payload,
            engine=contender.engine.name,
            engine_version=engine["version"] if engine else "unknown",
            settings=request.settings,
            started_at=self._started_at,
            finished_at=datetime.now(UTC),
            status=status,
            failure=failure,
            start_to_healthy_s=self._start_s,
            phases=phases,
            total=total,
            samples=samples,
            findings=found,
            audit=self._audit,
            ceilings=request.ceilings,
            environment=self._environment,
            stream_file=self._stream_file if self._stream_file.exists() else None,
            contender=contender.key,
            factors=contender.factors,
            round=request.round,
            timeline=summary.timeline_of(records),
            warm_up=warmed,
        )

    def _execute(self) -> Status:
        contender, server = self._request.contender, self._bench.server
        self._environment = environment_of(self._bench.project, self._target, server)
        if server is not None:
            fresh_table(contender.workload, server)
        check = health_check(contender.workload, self._target.protocol)
        variables = variables_of(self._target, contender.variant.settings)
        log = self._bench.project.logs / f"{self._target.name}.log"
        with TargetProcess(self._target, server, check, log, settings=variables) as target:
            self._start_s = target.start_s
            return self._drive(target)

    def _drive(self, target: TargetProcess) -> Status:
        project, used = self._bench.project, self._request.contender.engine
        if self._keeps_ledger:
            self._ledger.parent.mkdir(parents=True, exist_ok=True)
            self._ledger.unlink(missing_ok=True)
        engine = EngineProcess(
            used,
            self._request.plan(target.port, self._ledger if self._keeps_ledger else None),
            self._plan_file,
            self._stream_file,
            project.logs / f"engine-{used.name}.log",
            project.contract / "schemas" / "stream.schema.json",
        )
        with engine:
            pids = {"api": target.pid, "engine": engine.pid}
            if self._bench.server is not None and self._bench.server.pid is not None:
                pids["database"] = self._bench.server.pid
            self._sampler = Sampler(pids)
            with self._sampler, first_interrupt_calls(engine.interrupt):
                engine.records(self._on_record(target, engine))
        if target.has_ended:
            raise target.ended_error()
        self._make_audit()
        return Status.INTERRUPTED if self._records[-1]["reason"] == "interrupted" else Status.COMPLETED

    def _on_record(self, target: TargetProcess, engine: EngineProcess) -> Callable[[Record], None]:
        def on_record(record: Record) -> None:
            self._records.append(record)
            if record["type"] in ("phase_start", "phase_end") and self._sampler is not None:
                self._sampler.sample()
            if target.has_ended:
                engine.interrupt()
            self._bench.progress.record(record)
            if record["type"] == "second" and self._sampler is not None:
                self._bench.progress.usage(latest_cpu_percent(self._sampler.samples))

        return on_record

    @property
    def _keeps_ledger(self) -> bool:
        """A ledger is of use only where an audit can follow."""
        engine = self._request.contender.engine
        return engine.can("ledger") and engine.offers("audit") and self._bench.server is not None

    def _make_audit(self) -> None:
        contender, server = self._request.contender, self._bench.server
        if self._keeps_ledger and server is not None:
            self._bench.progress.step(f"{contender.key}: audit")
            self._audit = audit_run(contender.engine, contender.workload, server, self._plan_file, self._ledger)
            self._ledger.unlink(missing_ok=True)

    def _warm_up(self) -> Mapping[str, Any] | None:
        if not self._request.warm_up_s:
            return None
        return warm_up.judged(self._request.warm_up_s, summary.operations_per_second(self._records, 0))

    def _findings(
        self,
        records: Sequence[Record],
        phases: Sequence[PhaseResult],
        total: Measured,
        warmed: Mapping[str, Any] | None,
    ) -> list[Finding]:
        request, engine = self._request, self._request.contender.engine
        peak = max(phase.measured.throughput_per_s for phase in phases)
        found = findings.findings_of(total, THRESHOLDS)
        if request.mode != "smoke":
            command = f"./bakeoff calibrate --engine {engine.name}{request.way.options}"
            found += findings.generator_findings(records, peak, request.ceilings.get("engine"), engine.name, command)
        if request.contender.workload.uses_database:
            found += findings.audit_findings(self._audit, engine.name)
        return found + findings.warm_up_findings(warmed)
