"""A comparison from its request to its end: chosen, built, measured; or resumed."""

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from bakeoff.comparing.agent_hosts import check_hosts, check_pods, hosts_of, places_in_pods, set_up_hosts
from bakeoff.comparing.build_queue import BuiltContenders, building, first_measured_first
from bakeoff.comparing.contained import contained
from bakeoff.comparing.measurer import Measurer
from bakeoff.comparing.other_commit import uncommitted
from bakeoff.comparing.preparation import choose
from bakeoff.comparing.recorder import Comparison, Recorder
from bakeoff.comparing.request import ComparisonRequest, request_from
from bakeoff.comparing.rounds import measure_as_built, measure_rounds
from bakeoff.comparing.schedule import Schedule
from bakeoff.comparing.sides import further_servers, numbered_sides, refuse_too_many_sides
from bakeoff.containers.build_context import advice_on_context
from bakeoff.containers.container import find_container, forget_removed_images
from bakeoff.containers.docker import DockerEngine, docker_address
from bakeoff.containers.removal import images_removed
from bakeoff.engines.client import client_engine, has_client
from bakeoff.engines.manifest import Engine
from bakeoff.errors import BakeoffError
from bakeoff.options.table import DOCKER, IN_PROCESSES
from bakeoff.postgres.databases import (
    application_database,
    application_instance,
    metrics_database,
    one_choice,
)
from bakeoff.postgres.embedded import APPLICATION, InstanceKind
from bakeoff.postgres.embedded import SUSTAINED as SUSTAINED_INSTANCE
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.mode_names import SUSTAINED
from bakeoff.running.contender import Contender
from bakeoff.running.environment import machine_name
from bakeoff.running.isolation import check_limits, tree_pinned_to
from bakeoff.running.lock import measuring_lab
from bakeoff.running.prepared_states import PreparedStates
from bakeoff.running.progress import Progress
from bakeoff.running.testbed import Testbed
from bakeoff.storage.metrics_store import MetricsStore, Unfinished
from bakeoff.targets.access import access_of
from bakeoff.targets.storage import POSTGRESQL

# A token of the user's own, for attached targets; it stays out of command lines, which are stored.
TOKEN_VARIABLE = "BAKEOFF_API_TOKEN"  # noqa: S105 — a name, not a secret


def compare(project: Project, request: ComparisonRequest, progress: Progress) -> Comparison:
    """Builds what is stale, then measures. A contender that fails does not stop the others."""
    invocation = _Invocation(project, request, progress)
    contenders = invocation.choose()
    with measuring_lab(project):
        invocation.measure(contenders)
    return invocation.comparison


def resume(project: Project, progress: Progress) -> Comparison:
    """Continues a comparison of this machine with the turns that are left of it.

    That is the latest, or else the last that was interrupted or died.
    """
    with measuring_lab(project):
        with _metrics_store(project) as store:
            found = store.unfinished_comparisons(machine_name())
        unfinished = next((each for each in found if each.cut_short or _has_turns_left(project, each)), None)
        if unfinished is None:
            raise BakeoffError(
                "There is nothing to resume: no comparison on this machine was interrupted, and the latest is complete."
            )
        request = request_from(unfinished.request)
        progress.say(f"resuming comparison {unfinished.id}: {request.command}")
        invocation = _Invocation(project, request, progress, unfinished)
        invocation.measure(invocation.choose())
    return invocation.comparison


def _has_turns_left(project: Project, unfinished: Unfinished) -> bool:
    """Whether runs of a comparison failed, or contenders of it were refused."""
    request = request_from(unfinished.request)
    contenders = choose(project, request, lambda _name, _reason: None)
    return bool(Schedule(request, unfinished.done).turns(contenders))


class _Invocation:
    """One comparison that is made or resumed now."""

    def __init__(
        self, project: Project, request: ComparisonRequest, progress: Progress, unfinished: Unfinished | None = None
    ) -> None:
        self._project = project
        self._request = request
        self._progress = progress
        self._unfinished = unfinished
        self._began = time.monotonic()
        self.comparison = Comparison(threshold=request.threshold)

    def choose(self) -> list[Contender]:
        """The contenders that this machine can measure; refuses everything that can be refused before building."""
        request = self._request
        if IN_PROCESSES in request.places:
            check_limits(request)
        for url in request.attached.values():
            access_of(url)
        contenders = choose(self._project, request, self._skip)
        if request.against is not None and (changes := uncommitted(self._project)) is not None:
            self._progress.say(changes)
        check_pods(request, contenders)
        check_hosts(request, contenders)
        _postgres_of(_own(contenders))
        refuse_too_many_sides(request, contenders)
        docker = _docker(request)
        if docker is not None:
            docker.check()
            images = [each.target.build for each in contenders if each.target.build.image is not None]
            if (advice := advice_on_context(self._project, images)) is not None:
                self._progress.say(advice)
            for container in request.containers.values():
                find_container(docker, container)
        return contenders

    def measure(self, contenders: Sequence[Contender]) -> None:
        """Builds what is stale, and measures in rounds, or each contender as soon as its target is built."""
        with images_of_commits(self._project, self._request):
            self._measure(contenders)

    def _measure(self, contenders: Sequence[Contender]) -> None:
        request, progress = self._request, self._progress
        if (docker := _docker(request)) is not None:
            forget_removed_images(
                docker, [build for each in contenders for build in (each.engine.build, each.target.build)]
            )
        needed = [*(contender.engine for contender in contenders), *_clients(contenders, request.attached)]
        engines = {engine.build.name: engine for engine in needed}.values()
        for engine in engines:
            engine.check_toolchain()
        own = [each.target.build for each in contenders if each.target.name not in request.attached]
        with building([*(engine.build for engine in engines), *first_measured_first(own)], progress) as queued:
            refuse = partial(self.comparison.refuse, progress=progress)
            built = BuiltContenders(queued, contenders, request.attached, refuse)
            # The five requests of a smoke run prove that things work; the first one is shown before the last is built.
            if request.mode == "smoke" and queued.is_busy and not hosts_of(request):
                self._measure_built(contenders, partial(measure_as_built, built=built))
            elif in_order := built.in_order():
                self._measure_built(in_order, measure_rounds)
            elif self._unfinished is None:
                # A comparison of which nothing could be built is stored too, so that it is the latest.
                with _metrics_store(self._project) as store, self._recorder(store, contenders):
                    pass

    def _measure_built(
        self, contenders: Sequence[Contender], measure: Callable[[Measurer, Schedule, Sequence[Contender]], None]
    ) -> None:
        with contextlib.ExitStack() as stack:
            testbed = self._testbed(contenders, stack)
            store = stack.enter_context(_metrics_store(self._project))
            done = frozenset() if self._unfinished is None else self._unfinished.done
            with self._recorder(store, contenders) as recorder:
                measure(Measurer(testbed, recorder, self._began), Schedule(self._request, done), contenders)

    def _testbed(self, contenders: Sequence[Contender], stack: contextlib.ExitStack) -> Testbed:
        """Databases, places and addresses of the contenders, until the stack is closed."""
        project, request, progress = self._project, self._request, self._progress
        progress.step("starting PostgreSQL")
        own = _own(contenders)
        postgres = _postgres_of(own)
        stores = any(each.storage == POSTGRESQL for each in own)
        instance = application_instance(project, postgres, _kind_of(request)) if stores else None
        server = stack.enter_context(instance or application_database(project, postgres)) if stores else None
        numbers = further_servers(request, own) if instance is not None else ()
        kinds = [_kind_of(request).opposite(number) for number in numbers]
        opposites = [each for kind in kinds if (each := application_instance(project, postgres, kind)) is not None]
        servers: list[Server | None] = [server, *(stack.enter_context(each) for each in opposites)]
        in_containers = stack.enter_context(contained(project, request, contenders, _kind_of(request)))
        token = os.environ.get(TOKEN_VARIABLE)
        testbed = Testbed(
            project,
            server,
            progress,
            {name: access_of(url, token) for name, url in request.attached.items()},
            _docker(request),
            request.containers,
            places=places_in_pods(project, request) or set_up_hosts(request, contenders, progress),
            in_containers=in_containers,
            targets_listen_on=request.agents_reach,
            postgres=postgres,
            opposites=opposites,
            sides=numbered_sides(request, contenders),
            prepared=stack.enter_context(PreparedStates()),
            database=instance,
        )
        if not own:
            return testbed.running_in(DOCKER)
        for used in servers:
            stack.enter_context(_pinned_database(used, request))
        return testbed

    def _recorder(self, store: MetricsStore, contenders: Sequence[Contender]) -> Recorder:
        request, workload = self._request, contenders[0].workload.name
        return Recorder(self._project, store, self._progress, request, self.comparison, self._unfinished, workload)

    def _skip(self, name: str, reason: str) -> None:
        self.comparison.not_measured[name] = reason
        self._progress.say(reason)


def _clients(contenders: Sequence[Contender], attached: Collection[str]) -> Iterator[Engine]:
    """The engines that send health checks and conformance cases; attached targets do without where there is none."""
    for contender in contenders:
        if contender.variant.runs_in == DOCKER:
            yield client_engine().in_docker()
        elif contender.target.name not in attached or has_client():
            yield client_engine()


@contextlib.contextmanager
def _metrics_store(project: Project) -> Iterator[MetricsStore]:
    with metrics_database(project) as server:
        store = MetricsStore(server)
        store.migrate()
        yield store


def _docker(request: ComparisonRequest) -> DockerEngine | None:
    return DockerEngine(docker_address()) if request.containers or DOCKER in request.places else None


def _own(contenders: Sequence[Contender]) -> list[Contender]:
    """Those that do not run in containers."""
    return [contender for contender in contenders if contender.variant.runs_in != DOCKER]


def _postgres_of(contenders: Sequence[Contender]) -> str:
    """The PostgreSQL that all that store in one choose. Raises UsageError where they differ."""
    storing = (contender for contender in contenders if contender.storage == POSTGRESQL)
    return one_choice({contender.key: contender.target.manifest.storage.postgres for contender in storing})


def _kind_of(request: ComparisonRequest) -> InstanceKind:
    """The settings of the server that runs are measured on."""
    return SUSTAINED_INSTANCE if request.mode == SUSTAINED else APPLICATION


def images_of_commits(project: Project, request: ComparisonRequest) -> contextlib.AbstractContextManager[None]:
    """Removes the images of two commits after the block."""
    if request.against is None or DOCKER not in request.places:
        return contextlib.nullcontext()
    return images_removed(docker_address(), project.root)


@contextlib.contextmanager
def _pinned_database(server: Server | None, request: ComparisonRequest) -> Iterator[None]:
    cpus = request.pin.get("database")
    if cpus is not None and (server is None or server.pid is None):
        raise BakeoffError("--pin cannot bind a database that the lab did not start: leave out database=…")
    with tree_pinned_to(server.pid if server is not None and server.pid is not None else 0, cpus):
        yield
