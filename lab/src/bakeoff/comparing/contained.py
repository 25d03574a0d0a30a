"""What contenders in containers share: a network, and a PostgreSQL, or one for each side that takes turns."""

import contextlib
from collections.abc import Iterator, Sequence

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.sides import further_servers
from bakeoff.containers.database import DatabaseContainer, postgres_image
from bakeoff.containers.docker import DockerEngine, docker_address
from bakeoff.containers.launcher import DockerLauncher
from bakeoff.options.table import DOCKER
from bakeoff.postgres.embedded import InstanceKind
from bakeoff.project import Project
from bakeoff.running.contender import Contender
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
        opposites = [started(kind.opposite(number)) for number in further_servers(request, own)]
        yield Contained(database, docker, launcher, opposites)
