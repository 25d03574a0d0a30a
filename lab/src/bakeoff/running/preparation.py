"""What comes before measuring: choosing contenders, building what is stale, holding targets against their contract."""

import time
from collections.abc import Callable, Mapping, Sequence

from bakeoff.builds import Build
from bakeoff.conformance.runner import ConformanceResult, run_conformance
from bakeoff.engines.manifest import find_engine
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import Project
from bakeoff.running.contender import Contender, contenders_of
from bakeoff.running.progress import Progress
from bakeoff.running.request import ComparisonRequest
from bakeoff.running.run import Bench, fresh_table, variables_of
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import Target, choose_targets, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import Workload, load_workload


def choose(project: Project, request: ComparisonRequest, skip: Callable[[str, str], None]) -> list[Contender]:
    """The contenders of a request; `skip` is told of each that cannot be measured here, and why.

    Raises UsageError for a request that cannot be meant, before anything is built or started.
    """
    phases = request.phases
    engines = {name: find_engine(project, name) for name in request.matrix.engine}
    for engine in engines.values():
        if phases[0].rate_per_s is not None and "open" not in engine.document["models"]:
            raise UsageError(f"The engine {engine.name} has no open model: choose another --engine.")
    wanted = choose_targets(find_targets(project), request.targets)
    targets = buildable(wanted, bool(request.targets), lambda target, reason: skip(target.name, reason))
    if not targets:
        raise BakeoffError("There is no target that this machine can build, so nothing to measure.")
    workloads = {name: load_workload(project, name) for name in sorted({target.workload for target in targets})}
    contenders, impossible = contenders_of(targets, request.matrix.variants(), workloads, engines)
    for contender in contenders:
        variables_of(contender.target, contender.variant.settings)
    for key, reason in impossible.items():
        skip(key, f"{key}: left out. {reason}")
    return contenders


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
