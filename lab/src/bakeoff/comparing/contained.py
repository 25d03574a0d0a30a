"""What contenders in containers share: a network, and a PostgreSQL, or one for each side of two commits."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.containers.database import DatabaseContainer, postgres_image
from bakeoff.containers.docker import DockerEngine, docker_address
from bakeoff.containers.launcher import DockerLauncher
from bakeoff.options.table import DOCKER
from bakeoff.postgres.embedded import OPPOSITE, InstanceKind
from bakeoff.project import Project
from bakeoff.running.contender import Contender, can_alternate
from bakeoff.running.testbed import Contained
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
        opposite = None
        if need_a_server_each(request, own):
            opposite = started(replace(OPPOSITE, overrides=kind.overrides))
        yield Contained(database, docker, launcher, opposite)


def need_a_server_each(request: ComparisonRequest, contenders: Sequence[Contender]) -> bool:
    """Whether two commits that store in PostgreSQL can take turns."""
    storing = (each for each in contenders if each.storage == POSTGRESQL)
    return request.against is not None and any(can_alternate(each, has_own_server=True) for each in storing)
