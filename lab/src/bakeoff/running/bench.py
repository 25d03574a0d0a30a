"""What the runs of a command share."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bakeoff.containers.docker import DockerEngine
from bakeoff.engines.transport import Transport
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.progress import Progress
from bakeoff.targets.access import Access
from bakeoff.targets.certificate import lab_certificate
from bakeoff.targets.manifest import POSTGRESQL, Place
from bakeoff.targets.security import Secured


@dataclass(frozen=True)
class Bench:
    """The checkout, the application database (None where no contender stores in one), and the display.

    `attached` are targets that the lab did not start; `containers` are those that targets, or the `database`, run in,
    and `docker` is the engine that knows them. `places` are where agents run, an agent in each; without any they run
    here. `token` is what secured targets ask for; it is made for the occasion
    and nowhere stored.
    """

    project: Project
    server: Server | None
    progress: Progress
    attached: Mapping[str, Access] = field(default_factory=dict)
    docker: DockerEngine | None = None
    containers: Mapping[str, str] = field(default_factory=dict)
    places: Sequence[Transport] = ()
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    def secured(self, *, tls: bool, token: bool) -> Secured:
        """The security asked for, with the lab's own certificate."""
        certificate = lab_certificate(self.project.state / "tls") if tls else None
        return Secured(certificate, self.token if token else None)

    def storing_in(self, place: Place) -> "Bench":
        """The bench of a target that stores there: without the database, unless it stores in that."""
        return self if place == POSTGRESQL else replace(self, server=None)
