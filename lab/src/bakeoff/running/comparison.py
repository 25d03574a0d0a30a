"""A comparison: every chosen target in turn, each built, proven right and measured."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bakeoff.builds import Build
from bakeoff.conformance.runner import ConformanceResult, run_conformance
from bakeoff.engines.manifest import Engine, find_engine
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.postgres.databases import application_database, metrics_database
from bakeoff.project import Project
from bakeoff.results.conformance import summary
from bakeoff.results.files import write_result_files
from bakeoff.results.table import one_line
from bakeoff.running.environment import machine_name
from bakeoff.running.lock import only_lab
from bakeoff.running.modes import SMOKE, Phase, phases_of, phases_with
from bakeoff.running.progress import Progress
from bakeoff.running.result import RunResult, Status
from bakeoff.running.run import Bench, RunRequest, fresh_table, measure, planned_duration_s, variables_of
from bakeoff.storage.calibrations import Calibration, latest_calibrations
from bakeoff.storage.metrics_store import MetricsStore
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import Target, choose_targets, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import Workload, load_workload
from bakeoff.workload.plan import THRESHOLDS


@dataclass(frozen=True)
class ComparisonRequest:
    """What a person asked for. No names: all targets of the workload that this machine can build."""

    mode: str
    command: str
    targets: Sequence[str] = ()
    payload: str = "default"
    engine: str = "native"
    settings: Mapping[str, str] = field(default_factory=dict)
    phase_duration_s: float | None = None
    users: Sequence[int] = ()
    connections: int | None = None
    window: int = 1
    batch: int = 1
    stream: bool = False
    seed: int = 1


@dataclass
class Comparison:
    """What came of it: runs of the mode asked for, and targets that were not measured, each with the reason.

    `failed`: a target that this machine can build was not measured, or its run failed.
    """

    runs: list[RunResult] = field(default_factory=list)
    not_measured: dict[str, str] = field(default_factory=dict)
    failed: bool = False
    interrupted: bool = False


@dataclass(frozen=True)
class _Chosen:
    target: Target
    workload: Workload
    engine: Engine
    phases: Sequence[Phase]
    settings: Mapping[str, str]
    calibrations: Sequence[Calibration] = ()


def compare(project: Project, request: ComparisonRequest, progress: Progress) -> Comparison:
    """Builds what is stale, then measures one target after another. A target that fails does not stop the others."""
    phases = phases_of(request.mode, request.phase_duration_s)
    if request.users:
        phases = phases_with(request.users, phases)
    engine = find_engine(project, request.engine)
    comparison = Comparison()
    chosen = _choose(project, request, engine, phases, comparison, progress)
    with only_lab(project.state / "lock"):
        engine.check_toolchain()
        build(engine.build, progress)
        ready = [entry for entry in chosen if _built(entry.target, comparison, progress)]
        if ready:
            _measure_all(project, request, ready, comparison, progress)
    return comparison


def buildable(targets: Sequence[Target], asked_for: bool, skip: Callable[[Target, str], None]) -> list[Target]:
    """Targets whose toolchain is here. The others are skipped with a line each, or refused when asked for by name."""
    kept = []
    for target in targets:
        reason = target.why_skipped
        if reason is None:
            kept.append(target)
        elif asked_for:
            raise BakeoffError(reason.replace("skipped, ", "cannot be built: ", 1))
        else:
            skip(target, reason)
    return kept


def build(what: Build, progress: Progress) -> None:
    """Builds an artifact if it is stale."""
    if not what.is_stale():
        return
    progress.step(f"building {what.name}")
    began = time.monotonic()
    what.run(progress.detail)
    progress.say(f"built {what.name} in {time.monotonic() - began:.0f} s")


def conform(bench: Bench, target: Target, workload: Workload, settings: Mapping[str, str]) -> ConformanceResult:
    """Holds a freshly started target against every vector of its workload."""
    if bench.server is not None:
        fresh_table(workload, bench.server)
    check = health_check(workload, target.protocol)
    log = bench.project.logs / f"{target.name}-conformance.log"
    with TargetProcess(target, bench.server, check, log, settings=variables_of(target, settings)) as process:
        return run_conformance(workload, target.protocol, ("127.0.0.1", process.port), bench.server)


def _choose(
    project: Project,
    request: ComparisonRequest,
    engine: Engine,
    phases: Sequence[Phase],
    comparison: Comparison,
    progress: Progress,
) -> list[_Chosen]:
    def skip(target: Target, reason: str) -> None:
        comparison.not_measured[target.name] = reason
        progress.say(reason)

    targets = buildable(choose_targets(find_targets(project), request.targets), bool(request.targets), skip)
    if not targets:
        raise BakeoffError("There is no target that this machine can build, so nothing to measure.")
    wishes = (
        (request.batch > 1, "batch"),
        (request.stream, "stream"),
        (request.connections is not None, "shared-connections"),
    )
    for wanted, feature in wishes:
        if wanted and not engine.can(feature):
            raise UsageError(
                f"The engine {engine.name} cannot do --{feature}: leave it out, or choose another --engine."
            )
    workloads = {name: load_workload(project, name) for name in sorted({target.workload for target in targets})}
    for workload in workloads.values():
        if request.payload not in workload.payloads:
            raise UsageError(
                f'There is no payload "{request.payload}". Payloads of {workload.name}: {", ".join(workload.payloads)}.'
            )
    for target in targets:
        variables_of(target, request.settings)
    return [_Chosen(target, workloads[target.workload], engine, phases, request.settings) for target in targets]


def _built(target: Target, comparison: Comparison, progress: Progress) -> bool:
    try:
        build(target.build, progress)
    except BakeoffError as error:
        _refuse(target, error.message, comparison, progress)
        return False
    return True


def _refuse(target: Target, reason: str, comparison: Comparison, progress: Progress) -> None:
    comparison.not_measured[target.name] = f"{target.name}: {reason}"
    comparison.failed = True
    progress.say(f"{target.name}: not measured. {reason}")


def _measure_all(
    project: Project, request: ComparisonRequest, chosen: Sequence[_Chosen], comparison: Comparison, progress: Progress
) -> None:
    with contextlib.ExitStack() as stack:
        progress.step("starting PostgreSQL")
        uses_database = any(entry.workload.uses_database for entry in chosen)
        server = stack.enter_context(application_database(project)) if uses_database else None
        store = MetricsStore(stack.enter_context(metrics_database(project)))
        store.migrate()
        bench = Bench(project, server, progress)
        workloads = {entry.workload.name for entry in chosen}
        known = {name: latest_calibrations(store.server, machine_name(), name) for name in workloads}
        chosen = [replace(entry, calibrations=known[entry.workload.name]) for entry in chosen]
        comparison_id = store.begin_comparison(chosen[0].workload.name, request.mode, request.command)
        try:
            for entry in chosen:
                _measure_one(bench, request, entry, store, comparison_id, comparison)
                if comparison.interrupted:
                    break
        except KeyboardInterrupt:
            comparison.interrupted = True
        finally:
            failed = not comparison.interrupted and not comparison.runs
            status = "interrupted" if comparison.interrupted else "failed" if failed else "completed"
            store.end_comparison(comparison_id, status)


def _measure_one(
    bench: Bench,
    request: ComparisonRequest,
    entry: _Chosen,
    store: MetricsStore,
    comparison_id: int,
    comparison: Comparison,
) -> None:
    try:
        _prove(bench, entry)
    except BakeoffError as error:
        _refuse(entry.target, error.message, comparison, bench.progress)
        return
    run = RunRequest(
        target=entry.target,
        workload=entry.workload,
        engine=entry.engine,
        mode=request.mode,
        phases=entry.phases,
        payload=request.payload,
        settings=entry.settings,
        seed=request.seed,
        batch=request.batch,
        stream=request.stream,
        connections=request.connections,
        window=request.window,
        calibrations=entry.calibrations,
    )
    # A short look before a long one: a target that fails five requests need not fail a million.
    planned = [run] if request.mode == "smoke" else [replace(run, mode="smoke", phases=SMOKE), run]
    for each in planned:
        bench.progress.step(f"{entry.target.name}: {each.mode}", planned_duration_s(each))
        result = measure(bench, each)
        write_result_files(bench.project, result)
        store.add_run(comparison_id, result)
        if each is run:
            comparison.runs.append(result)
        comparison.interrupted = result.status is Status.INTERRUPTED
        problem = _problem_with(result)
        if problem:
            _refuse(entry.target, problem, comparison, bench.progress)
        if problem or comparison.interrupted:
            return
    bench.progress.say(one_line(result))


def _prove(bench: Bench, entry: _Chosen) -> None:
    """A target that does not do what its contract says is not measured: its speed would mean nothing."""
    bench.progress.step(f"{entry.target.name}: conformance")
    result = conform(bench, entry.target, entry.workload, entry.settings)
    if not result.conforms:
        raise BakeoffError(f"{summary(result)} ./bakeoff conform {entry.target.name} shows what differed.")


def _problem_with(result: RunResult) -> str | None:
    """Why a run's figures are no result, or why its smoke test forbids a longer one."""
    if result.failure:
        return result.failure
    if result.status is Status.VOID:
        return next(finding.message for finding in result.findings if finding.kind == "audit-failed")
    if result.status is Status.COMPLETED and (result.total is None or result.total.requests == 0):
        return f"its {result.mode} run sent nothing. Read the engine's log."
    if result.mode == "smoke" and result.total is not None and result.total.error_rate >= THRESHOLDS["error_rate"]:
        return f"its smoke test failed. {result.findings[0].message}"
    return None
