"""Images that the lab has built."""

from collections.abc import Sequence

from bakeoff.builds.build import Build
from bakeoff.containers.docker import DockerEngine
from bakeoff.errors import NotFoundError


def forget_removed_images(docker: DockerEngine, builds: Sequence[Build]) -> None:
    """An image that was built, and that the engine has no more, is to be built again."""
    for build in builds:
        if build.image is not None and build.image.exists():
            try:
                docker.get(f"/images/{build.image.read_text('utf-8').strip()}/json")
            except NotFoundError:
                build.image.unlink()
