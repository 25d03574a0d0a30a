"""Chooses contenders, builds what is stale, and checks targets against their contract."""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from bakeoff.builds.build import Build
from bakeoff.comparing.build_queue import building
from bakeoff.comparing.contenders import check_extensions, contenders_of
from bakeoff.comparing.other_commit import with_commit
from bakeoff.comparing.request import ComparisonRequest, check_scale
from bakeoff.conformance.case import Profile
from bakeoff.conformance.integrity import run_integrity
from bakeoff.conformance.runner import ConformanceResult, load_cases, run_conformance
from bakeoff.engines.manifest import Engine, find_engine
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.table import DOCKER, IN_PROCESSES, KUBERNETES
from bakeoff.options.variant import Variant
from bakeoff.postgres.durability import problems_of
from bakeoff.postgres.pooler import find_pgbouncer
from bakeoff.postgres.relay import DatabaseRelay, can_be_relayed
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.running.fresh_state import fresh_state
from bakeoff.running.observation import DATABASE
from bakeoff.running.progress import Progress
from bakeoff.running.service import at_work
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import STANDARD, Target, choose_targets, find_targets, of_workload
from bakeoff.targets.replicas import behind_proxy
from bakeoff.targets.security import TLS_SETTING
from bakeoff.targets.settings import variables_of
from bakeoff.targets.storage import POSTGRESQL
from bakeoff.workload.loader import Workload, load_workload
from bakeoff.workload.plan import weights_of


def choose(project: Project, request: ComparisonRequest, skip: Callable[[str, str], None]) -> list[Contender]:
    """The contenders of a request; `skip` is called with each that cannot be measured here, and the reason.

    Raises UsageError for a request that cannot be meant, before anything is built or started.
    """
    names = dict.fromkeys(variant.engine for variant in request.variants())
    engines = {name: find_engine(name) for name in names}
    _check_loads(request, engines.values())
    targets = _targets(project, request, skip)
    workloads = {name: load_workload(project, name) for name in sorted({target.workload for target in targets})}
    if request.has_equal_rate and len(workloads) > 1:
        raise UsageError(f"Mode equal measures one workload: add --workload {' or --workload '.join(workloads)}.")
    targets = _sendable(targets, workloads, request, skip)
    contenders, impossible = contenders_of(targets, request.variants(), workloads, engines)
    if request.against is not None:
        contenders = with_commit(project, request.against, contenders, skip)
    for contender in contenders:
        _check_settings(contender, request)
    _check_containers(request)
    contenders = [_placed(contender) for contender in contenders]
    for key, reason in impossible.items():
        skip(key, f"{key}: left out. {reason}")
    return contenders


def _check_loads(request: ComparisonRequest, engines: Iterable[Engine]) -> None:
    """Raises UsageError for phases that an engine, its agents or containers cannot send."""
    phases = request.phases
    check_scale(request)
    for engine in engines:
        if phases[0].rate_per_s is not None and "open" not in engine.manifest.models:
            raise UsageError(f"The engine {engine.name} does not support the open model: use another --engine.")
    fewest = min(phases, key=lambda phase: phase.virtual_users)
    if request.most_agents > fewest.virtual_users and request.mode != "smoke":
        raise UsageError(
            f"There are {request.most_agents} agents, and the phase {fewest.name} has {fewest.virtual_users} users to "
            "divide: use fewer agents, or more --users."
        )


def _targets(project: Project, request: ComparisonRequest, skip: Callable[[str, str], None]) -> list[Target]:
    """The targets that are attached, and those that this machine can build; it is an error where there is none."""
    found = find_targets(project)
    choose_targets(found, list(request.attached))
    named = request.targets or list(request.attached)
    offered = found if named else of_workload(project, found, request.workload)
    wanted = choose_targets(offered, named, request.target_class, request.where)
    own = [target for target in wanted if target.name not in request.attached]
    if DOCKER in request.places:
        own = [target for target in own if _is_containable(target, target.name in request.targets, skip)]
    if request.places & {IN_PROCESSES, KUBERNETES}:
        own = buildable(own, request.targets, lambda target, reason: skip(target.name, reason))
    targets = [target for target in wanted if target.name in request.attached] + own
    if not targets:
        raise BakeoffError("No target can be started here: the lines above name what each lacks.")
    return targets


def _sendable(
    targets: Sequence[Target],
    workloads: Mapping[str, Workload],
    request: ComparisonRequest,
    skip: Callable[[str, str], None],
) -> list[Target]:
    """The targets whose workload has the requested mix and operations; it is an error where none has."""
    reasons: dict[str, str] = {}
    for name, workload in workloads.items():
        try:
            weights_of(workload, request.mix, request.operations)
        except UsageError as error:
            reasons[name] = error.message
    if len(reasons) == len(workloads):
        raise UsageError(next(iter(reasons.values())))
    for target in targets:
        if target.workload in reasons:
            skip(target.name, f"{target.name}: left out. {reasons[target.workload]}")
    return [target for target in targets if target.workload not in reasons]


def _placed(contender: Contender) -> Contender:
    """The contender as it is started where it runs: images for containers, and replicas behind their proxy.

    Raises BakeoffError where this machine lacks what it needs.
    """
    check_extensions(contender)
    if contender.variant.pgbouncer is not None:
        find_pgbouncer(contender.variant.pgbouncer)
    if contender.variant.replicas is not None:
        return replace(contender, target=behind_proxy(contender.target, contender.variant.replicas))
    if contender.variant.runs_in != DOCKER:
        return contender
    return replace(contender, target=contender.target.contained, engine=contender.engine.in_docker())


def _is_containable(target: Target, is_named: bool, skip: Callable[[str, str], None]) -> bool:
    """Whether a target has an image; without one it is skipped, or refused where `is_named`."""
    if target.image is None and is_named:
        _ = target.contained  # raises the error that says so
    elif target.image is None:
        skip(target.name, f"{target.name}: skipped, it has no image, so no container can run it.")
    return target.image is not None


def _check_settings(contender: Contender, request: ComparisonRequest) -> None:
    variant, target = contender.variant, contender.target
    if target.name in request.attached:
        check_own_database(target, contender.storage)
        return
    secured = {TLS_SETTING: variant.tls, "api_token": variant.token}
    variables_of(target, {**variant.settings, **{name: "" for name, wanted in secured.items() if wanted}})


def check_own_database(attached: Target, storage: str) -> None:
    """Raises UsageError for an attached target whose database nothing names."""
    if storage == POSTGRESQL and not os.environ.get("DATABASE_URL"):
        raise UsageError(
            f"{attached.name} is attached: set DATABASE_URL to the database that it uses. Runs and conformance cases "
            "drop its tables."
        )


def _check_containers(request: ComparisonRequest) -> None:
    """Only what the lab did not start itself can run in a container of another owner."""
    for name in request.containers:
        if name == DATABASE and not os.environ.get("DATABASE_URL"):
            raise UsageError("--container database=… needs a database of your own: set DATABASE_URL.")
        if name != DATABASE and name not in request.attached:
            raise UsageError(f"--container {name}=… needs --attach {name}=http://host:port, where it answers.")


def buildable(targets: Sequence[Target], named: Sequence[str], skip: Callable[[Target, str], None]) -> list[Target]:
    """Targets whose toolchain is here. The others are skipped with a line each, or refused where they are `named`."""
    kept = []
    for target in targets:
        reason = target.why_skipped
        if reason is None:
            kept.append(target)
        elif target.name in named:
            raise BakeoffError(reason.replace("skipped, ", "cannot be built: ", 1))
        else:
            skip(target, reason)
    return kept


def build(builds: Sequence[Build], progress: Progress) -> None:
    """Builds the artifacts that are stale, at full priority: nothing is measured meanwhile."""
    with building(builds, progress, niceness=0) as queued:
        for each in builds:
            queued.wait_for(each)


def conform(testbed: Testbed, target: Target, workload: Workload, variant: Variant) -> ConformanceResult:
    """Checks a target against every vector of its workload, with the settings and security of the variant.

    Cases that need a token get their own process where the variant asks for none and the target could.
    """
    result = _conform(testbed, target, workload, variant, ())
    if variant.token or target.name in testbed.attached or "api_token" not in target.manifest.settings:
        return result
    cases = [case for case in load_cases(workload) if case.token]
    side = "grpc" if target.protocol == "grpc" else "http"
    names = [case.name for case in cases if case.goes_over(side)]
    if not names:
        return result
    return result.together_with(_conform(testbed, target, workload, replace(variant, token=True), names))


def _conform(
    testbed: Testbed, target: Target, workload: Workload, variant: Variant, patterns: Sequence[str]
) -> ConformanceResult:
    log = target.project.logs / f"{target.name}-conformance.log"
    with contextlib.ExitStack() as stack:
        own = stack.enter_context(fresh_state(testbed, target, workload, variant))
        server, relay = own.server, None
        problems = [] if server is None else problems_of(server)
        # The relay listens on the loopback address, which containers cannot reach.
        is_in_reach = target.name not in testbed.attached and not testbed.launcher.in_containers
        if server is not None and is_in_reach and can_be_relayed(server):
            relay = stack.enter_context(DatabaseRelay(server))
        relayed = own if relay is None else replace(own, server=relay.server)
        with at_work(relayed, target, workload, variant, log) as service:
            client = testbed.client
            result = run_conformance(workload, target.protocol, service.access, server, client, patterns=patterns)
            if patterns or server is None:
                return result
            return result.with_checks(
                *run_integrity(workload, target.protocol, service.access, client, server, relay, problems)
            )


def required_profile(target: Target) -> Profile:
    """The profile to prove before a measurement: core for a standard target, strict for a tuned one."""
    return Profile.CORE if target.target_class == STANDARD else Profile.STRICT
