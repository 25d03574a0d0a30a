"""A comparison from its request to its end: chosen, built, measured; or resumed."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from bakeoff.builds.build import Build
from bakeoff.comparing.agent_hosts import check_hosts, hosts_of, set_up_hosts
from bakeoff.comparing.agent_pods import check_pods, places_in_pods
from bakeoff.comparing.arriving import Arriving
from bakeoff.comparing.build_queue import building, first_measured_first
from bakeoff.comparing.preparation import choose
from bakeoff.comparing.request import ComparisonRequest, request_from
from bakeoff.comparing.rounds import Comparison, Series
from bakeoff.comparing.schedule import turns_of
from bakeoff.containers.container import find_container
from bakeoff.containers.database import DatabaseContainer, database_container, postgres_image
from bakeoff.containers.docker import DockerEngine, docker_address
from bakeoff.containers.images import forget_removed_images
from bakeoff.containers.launcher import DockerLauncher, Limits
from bakeoff.errors import BakeoffError
from bakeoff.options.kinds import PINNED_ROLES
from bakeoff.options.table import DOCKER, IN_PROCESSES
from bakeoff.postgres.databases import application_database, metrics_database
from bakeoff.postgres.embedded import APPLICATION, InstanceKind
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.document import Origin
from bakeoff.running.contender import Contender
from bakeoff.running.environment import machine_name
from bakeoff.running.isolation import tree_pinned_to
from bakeoff.running.lock import measuring_lab
from bakeoff.running.progress import Progress
from bakeoff.running.target_limits import check_limits
from bakeoff.running.testbed import Contained, Testbed
from bakeoff.storage.metrics_store import MetricsStore, Unfinished
from bakeoff.targets.access import access_of
from bakeoff.targets.manifest import POSTGRESQL

# A token of the user's own, for attached targets; it stays out of command lines, which are stored.
TOKEN_VARIABLE = "BAKEOFF_API_TOKEN"  # noqa: S105 — a name, not a secret


def compare(project: Project, request: ComparisonRequest, progress: Progress) -> Comparison:
    """Builds what is stale, then measures. A contender that fails does not stop the others."""
    comparison = Comparison(threshold=request.threshold)
    contenders = _chosen(project, request, comparison, progress)
    with measuring_lab(project):
        _measure_all(project, request, contenders, comparison, progress)
    return comparison


def resume(project: Project, progress: Progress) -> Comparison:
    """Continues a comparison of this machine with the turns that are left of it.

    That is the latest, or else the last that was interrupted or died.
    """
    comparison = Comparison()
    with measuring_lab(project):
        with metrics_database(project) as server:
            store = MetricsStore(server)
            store.migrate()
            found = store.unfinished_comparisons(machine_name())
        unfinished = next((each for each in found if each.cut_short or _has_turns_left(project, each)), None)
        if unfinished is None:
            raise BakeoffError(
                "There is nothing to resume: no comparison on this machine was interrupted, and the latest is complete."
            )
        request = request_from(unfinished.request)
        comparison.threshold = request.threshold
        progress.say(f"resuming comparison {unfinished.id}: {request.command}")
        contenders = _chosen(project, request, comparison, progress)
        _measure_all(project, request, contenders, comparison, progress, unfinished)
    return comparison


def _has_turns_left(project: Project, unfinished: Unfinished) -> bool:
    """Whether runs of a comparison failed, or contenders of it were refused."""
    request = request_from(unfinished.request)
    contenders = choose(project, request, lambda _name, _reason: None)
    return bool(turns_of(contenders, request.rounds, request.seed, unfinished.done))


def _chosen(
    project: Project, request: ComparisonRequest, comparison: Comparison, progress: Progress
) -> list[Contender]:
    def skip(name: str, reason: str) -> None:
        comparison.not_measured[name] = reason
        progress.say(reason)

    if IN_PROCESSES in request.places:
        check_limits(request.isolation)
    for url in request.attached.values():
        access_of(url)
    contenders = choose(project, request, skip)
    check_pods(request, contenders)
    check_hosts(request, contenders)
    docker = _docker(request)
    if docker is not None:
        for container in request.containers.values():
            find_container(docker, container)
        forget_removed_images(docker, _builds(contenders))
    return contenders


def _builds(contenders: Sequence[Contender]) -> list[Build]:
    """Of engines and targets, each once."""
    builds = [build for each in contenders for build in (each.engine.build, each.target.build)]
    return list({build.name: build for build in builds}.values())


def _measure_all(
    project: Project,
    request: ComparisonRequest,
    contenders: Sequence[Contender],
    comparison: Comparison,
    progress: Progress,
    unfinished: Unfinished | None = None,
) -> None:
    engines = {contender.engine.build.name: contender.engine for contender in contenders}.values()
    for engine in engines:
        engine.check_toolchain()
    engine_builds = [engine.build for engine in engines]
    targets = [each.target for each in contenders if each.target.name not in request.attached]
    own = first_measured_first([target.build for target in targets])
    with building([*engine_builds, *own], progress) as queued:

        def refuse(name: str, reason: str) -> None:
            comparison.refuse(name, reason)
            progress.say(f"{name}: not measured. {reason}")

        arriving = Arriving(queued, engine_builds, contenders, request.attached, refuse)
        # The five requests of a smoke run prove that things work; the first one is shown before the last is built.
        as_built = request.mode == "smoke" and queued.is_busy and not hosts_of(request)
        built = list(contenders) if as_built else list(arriving.in_order())
        if built:
            _measure_built(project, request, built, arriving if as_built else None, comparison, progress, unfinished)
        elif unfinished is None:
            _note_refusals(project, request, contenders, comparison)


def _measure_built(
    project: Project,
    request: ComparisonRequest,
    contenders: Sequence[Contender],
    arriving: Arriving | None,
    comparison: Comparison,
    progress: Progress,
    unfinished: Unfinished | None,
) -> None:
    """Takes all runs; with `arriving`, each contender as soon as its target is built."""
    with contextlib.ExitStack() as stack:
        progress.step("starting PostgreSQL")
        own = [contender for contender in contenders if contender.variant.runs_in != DOCKER]
        server = stack.enter_context(application_database(project)) if _stores(own) else None
        contained = stack.enter_context(_contained(project, request, contenders))
        store = MetricsStore(stack.enter_context(metrics_database(project)))
        store.migrate()
        token = os.environ.get(TOKEN_VARIABLE)
        attached = {name: access_of(url, token) for name, url in request.attached.items()}
        testbed = Testbed(
            project,
            server,
            progress,
            attached,
            _docker(request),
            request.containers,
            places=places_in_pods(project, request) or set_up_hosts(request, contenders, progress),
            in_containers=contained,
            targets_listen_on=request.agents_reach,
        )
        if own:
            stack.enter_context(_pinned_database(server, request))
        else:
            testbed = testbed.running_in(DOCKER)
        series = Series(testbed, store, request, comparison, unfinished)
        try:
            if arriving is None:
                series.run(contenders)
            else:
                series.run_as_built(contenders, arriving)
        except KeyboardInterrupt:
            comparison.interrupted = True
        except Exception:
            # A full disk, say. What was measured is kept, and --resume goes on with the rest.
            comparison.interrupted = True
            raise
        finally:
            series.end()


def _note_refusals(
    project: Project, request: ComparisonRequest, contenders: Sequence[Contender], comparison: Comparison
) -> None:
    """A comparison of which nothing could be built is stored too, so that it is the latest."""
    workload = contenders[0].workload.name
    origin = Origin(
        datetime.now(UTC), request.name, workload, request.mode, request.command, request.rounds, request.scale or ""
    )
    with metrics_database(project) as server:
        store = MetricsStore(server)
        store.migrate()
        stored = store.begin_comparison(origin, {**request.as_document(), "machine": machine_name()})
        store.end_comparison(stored, "failed", comparison.not_measured, comparison.refused)


def _docker(request: ComparisonRequest) -> DockerEngine | None:
    return DockerEngine(docker_address()) if request.containers or DOCKER in request.places else None


def _stores(contenders: Sequence[Contender]) -> bool:
    return any(contender.place == POSTGRESQL for contender in contenders)


@contextlib.contextmanager
def _contained(
    project: Project, request: ComparisonRequest, contenders: Sequence[Contender]
) -> Iterator[Contained | None]:
    """What contenders need that run in containers: a network, and a database where they store in one."""
    own = [contender for contender in contenders if contender.variant.runs_in == DOCKER]
    docker = _docker(request)
    if not own or docker is None:
        yield None
        return
    isolation = request.isolation
    limits = {
        role: Limits(isolation.cpus.get(role), isolation.memory_bytes.get(role), isolation.pin.get(role, ()))
        for role in PINNED_ROLES
    }
    with DockerLauncher(docker, project.root, limits) as launcher, contextlib.ExitStack() as stack:

        def crashable(kind: InstanceKind) -> DatabaseContainer:
            return DatabaseContainer(launcher, postgres_image(), kind, project.logs)

        server = None
        if _stores(own):
            server = stack.enter_context(database_container(launcher, postgres_image(), APPLICATION, project.logs))
        yield Contained(server, docker, launcher, crashable)


@contextlib.contextmanager
def _pinned_database(server: Server | None, request: ComparisonRequest) -> Iterator[None]:
    cpus = request.isolation.pin.get("database")
    if cpus is not None and (server is None or server.pid is None):
        raise BakeoffError("--pin cannot bind a database that the lab did not start: leave out database=…")
    with tree_pinned_to(server.pid if server is not None and server.pid is not None else 0, cpus):
        yield
