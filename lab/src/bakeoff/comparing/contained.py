"""The servers of contenders in containers, or of a short pass after the measurement."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.sides import further_servers
from bakeoff.containers.database import DatabaseContainer, postgres_image
from bakeoff.containers.docker import DockerEngine, docker_address
from bakeoff.containers.launcher import DockerLauncher
from bakeoff.options.table import DOCKER
from bakeoff.postgres.binaries import find_installation
from bakeoff.postgres.databases import one_choice
from bakeoff.postgres.embedded import Instance, InstanceKind
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.running.prepared_states import PreparedStates
from bakeoff.running.progress import Progress
from bakeoff.running.testbed import Contained, Testbed
from bakeoff.targets.storage import POSTGRESQL


@contextlib.contextmanager
def contained(
    project: Project, request: ComparisonRequest, contenders: Sequence[Contender], kind: InstanceKind
) -> Iterator[Contained | None]:
    """The network and the databases of contenders that run in containers; None where none does."""
    own = [contender for contender in contenders if contender.variant.runs_in == DOCKER]
    if not own:
        yield None
        return
    docker = DockerEngine(docker_address())
    with DockerLauncher(docker, project.root, request) as launcher, contextlib.ExitStack() as stack:

        def started(kind: InstanceKind) -> DatabaseContainer:
            database = DatabaseContainer(launcher, postgres_image(), kind, project.logs)
            database.start()
            stack.callback(database.stop)
            return database

        database = started(kind) if any(each.storage == POSTGRESQL for each in own) else None
        opposites = [started(kind.opposite(number)) for number in further_servers(request, own)]
        yield Contained(database, docker, launcher, opposites)


@contextlib.contextmanager
def short_pass(
    project: Project,
    request: ComparisonRequest,
    contenders: Sequence[Contender],
    kind: InstanceKind,
    progress: Progress,
) -> Iterator[Testbed]:
    """The testbed of a pass, with a server of a kind where contenders store in PostgreSQL."""
    # One after the other, they share a server.
    alone = replace(request, against=None)
    storing = [each for each in contenders if each.storage == POSTGRESQL]
    postgres = one_choice({each.key: each.target.manifest.storage.postgres for each in storing})
    with contextlib.ExitStack() as stack:
        server = None
        if any(each.variant.runs_in != DOCKER for each in storing):
            server = stack.enter_context(Instance(find_installation(project, postgres), kind, project.logs))
        own = stack.enter_context(contained(project, alone, contenders, kind))
        prepared = stack.enter_context(PreparedStates())
        yield Testbed(project, server, progress, postgres=postgres, in_containers=own, prepared=prepared)
