"""One run: a fresh table, the target, the engine's phases, and what came of them."""

import contextlib
import secrets
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import FrameType
from typing import Any

from bakeoff.engines.manifest import Engine
from bakeoff.engines.process import EngineProcess
from bakeoff.engines.stream import Record
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running import findings, summary
from bakeoff.running.audit import audit_run
from bakeoff.running.environment import environment_of
from bakeoff.running.modes import Phase, planned_seconds
from bakeoff.running.progress import Progress
from bakeoff.running.result import Finding, Measured, PhaseResult, RunResult, Status, file_stem
from bakeoff.sampling.sampler import Sampler
from bakeoff.storage.calibrations import Calibration
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import Target
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import THRESHOLDS, Load, Plan, Way, compile_plan


@dataclass(frozen=True)
class RunRequest:
    """What is to be measured."""

    target: Target
    workload: Workload
    engine: Engine
    mode: str
    phases: Sequence[Phase]
    payload: str
    settings: Mapping[str, str]
    seed: int = 1
    batch: int = 1
    stream: bool = False
    connections: int | None = None
    window: int = 1
    calibrations: Sequence[Calibration] = ()

    @property
    def way(self) -> Way:
        """How messages travel."""
        return Way(protocol_of(self.target), self.batch, self.stream, self.window if self.stream else 1)


@dataclass(frozen=True)
class Bench:
    """What runs share: the checkout, the application database (None where the workload uses none), the display."""

    project: Project
    server: Server | None
    progress: Progress


def protocol_of(target: Target) -> str:
    """The engines' name of a target's protocol."""
    return "grpc" if target.protocol == "grpc" else "http"


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
        self._started_at = datetime.now(UTC)
        stem = file_stem(self._started_at, request.mode, request.payload)
        self._stream_file = bench.project.results / request.target.name / f"{stem}.stream.jsonl"
        self._records: list[Record] = []
        self._sampler: Sampler | None = None
        self._start_s: float | None = None
        self._audit: Mapping[str, Any] | None = None
        self._plan_file = bench.project.state / "plans" / f"{request.target.name}.json"
        self._ledger = bench.project.state / "ledgers" / f"{request.target.name}.ledger"

    def result(self) -> RunResult:
        try:
            status, failure = self._execute(), None
        except BakeoffError as error:
            status, failure = Status.FAILED, error.message
        samples = [] if self._sampler is None else self._sampler.samples
        phases = summary.phase_results(self._records, samples)
        total = summary.total_of(phases, samples)
        engine = next((record["engine"] for record in self._records if record["type"] == "start"), None)
        request = self._request
        ceilings = ceilings_of(request)
        found = [] if total is None else self._findings(phases, total, ceilings)
        if any(finding.kind == "audit-failed" for finding in found):
            status = Status.VOID
        version = None if self._bench.server is None else f"PostgreSQL {self._bench.server.version()}"
        return RunResult(
            target=request.target.name,
            workload=request.workload.name,
            language=request.target.language,
            protocol=request.target.protocol,
            mode=request.mode,
            payload=request.payload,
            engine=request.engine.name,
            engine_version=engine["version"] if engine else "unknown",
            settings={**request.settings, **_load_settings(request)},
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
            ceilings=ceilings,
            environment=environment_of(self._bench.project, request.target, version),
            stream_file=self._stream_file if self._stream_file.exists() else None,
        )

    def _execute(self) -> Status:
        request, server = self._request, self._bench.server
        logs = self._bench.project.logs
        if server is not None:
            fresh_table(request.workload, server)
        check = health_check(request.workload, request.target.protocol)
        variables = variables_of(request.target, request.settings)
        log = logs / f"{request.target.name}.log"
        with TargetProcess(request.target, server, check, log, settings=variables) as target:
            self._start_s = target.start_s
            return self._drive(target)

    def _drive(self, target: TargetProcess) -> Status:
        request, project = self._request, self._bench.project
        engine = EngineProcess(
            request.engine,
            self._plan(target.port),
            self._plan_file,
            self._stream_file,
            project.logs / f"engine-{request.engine.name}.log",
            project.contract / "schemas" / "stream.schema.json",
        )
        with engine:
            pids = {"api": target.pid, "engine": engine.pid}
            if self._bench.server is not None and self._bench.server.pid is not None:
                pids["database"] = self._bench.server.pid
            self._sampler = Sampler(pids)
            with self._sampler, _first_interrupt_calls(engine.interrupt):
                engine.records(self._on_record(target, engine))
        if target.has_ended:
            raise target.ended_error()
        server = self._bench.server
        if self._keeps_ledger and server is not None:
            self._bench.progress.step(f"{request.target.name}: audit")
            self._audit = audit_run(request.engine, request.workload, server, self._plan_file, self._ledger)
            self._ledger.unlink(missing_ok=True)
        return Status.INTERRUPTED if self._records[-1]["reason"] == "interrupted" else Status.COMPLETED

    def _on_record(self, target: TargetProcess, engine: EngineProcess) -> Callable[[Record], None]:
        def on_record(record: Record) -> None:
            self._records.append(record)
            if record["type"] in ("phase_start", "phase_end") and self._sampler is not None:
                self._sampler.sample()
            if target.has_ended:
                engine.interrupt()
            self._bench.progress.record(record)

        return on_record

    @property
    def _keeps_ledger(self) -> bool:
        """A ledger is of use only where an audit can follow."""
        request = self._request
        return request.engine.can("ledger") and request.engine.offers("audit") and self._bench.server is not None

    def _findings(self, phases: Sequence[PhaseResult], total: Measured, ceilings: Mapping[str, float]) -> list[Finding]:
        request = self._request
        peak = max(phase.measured.throughput_per_s for phase in phases)
        found = findings.findings_of(total, THRESHOLDS)
        if request.mode != "smoke":
            command = f"./bakeoff calibrate --engine {request.engine.name}{request.way.options}"
            found += findings.generator_findings(
                self._records, peak, ceilings.get("engine"), request.engine.name, command
            )
        if request.workload.uses_database:
            found += findings.audit_findings(self._audit, request.engine.name)
        return found

    def _plan(self, port: int) -> Plan:
        request = self._request
        if self._keeps_ledger:
            self._ledger.parent.mkdir(parents=True, exist_ok=True)
            self._ledger.unlink(missing_ok=True)
        return compile_plan(
            request.workload,
            Load(
                target=request.target.name,
                protocol=protocol_of(request.target),
                host="127.0.0.1",
                port=port,
                mode=request.mode,
                phases=[phase.planned() for phase in request.phases],
                payload=request.payload,
                seed=request.seed,
                run=secrets.token_hex(4),
                batch=request.batch,
                stream=request.stream,
                connections=request.connections,
                window=request.window,
                ledger=self._ledger if self._keeps_ledger else None,
            ),
        )


def ceilings_of(request: RunRequest) -> dict[str, float]:
    """What this machine's calibrations say a run like this cannot exceed, by name."""
    ceilings = {}
    for calibration in request.calibrations:
        if calibration.kind == "database":
            ceilings[calibration.subject] = calibration.rate_per_s
        elif (calibration.subject, calibration.transport, calibration.payload_size) == (
            request.engine.name,
            request.way.transport,
            request.payload,
        ):
            ceilings["engine"] = calibration.rate_per_s
    return ceilings


def _load_settings(request: RunRequest) -> dict[str, str]:
    """How the load differs from one message in a request over one connection for each user."""
    connections = "one for each user" if request.connections is None else str(request.connections)
    settings = {"seed": str(request.seed), "connections": connections}
    if request.batch > 1:
        settings["batch"] = str(request.batch)
    if request.stream:
        settings["stream"] = f"window {request.window}"
    return settings


def planned_duration_s(request: RunRequest) -> float | None:
    """How long the phases of a request take, or None where they are counted in iterations."""
    return planned_seconds(request.phases) or None


@contextlib.contextmanager
def _first_interrupt_calls(action: Callable[[], None]) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM calls `action`, so that what was measured is kept; a second one raises as ever."""
    previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        _restore(previous)
        action()

    for number in previous:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        _restore(previous)


def _restore(handlers: Mapping[signal.Signals, object]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)  # type: ignore[arg-type]
