"""Removes what a lab has left in a Docker engine: by its label, so that nothing else is touched.

Runs as a program too, for the guardian of a lab that was killed: `python -m bakeoff.containers.removal ADDRESS LABEL`.
"""

import contextlib
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bakeoff.builds.digests import text_digest
from bakeoff.containers.docker import DockerEngine, run_docker
from bakeoff.errors import BakeoffError
from bakeoff.processes import children

_KINDS = (
    (("ps", "--all", "--quiet"), ("rm", "--force", "--volumes")),
    (("network", "ls", "--quiet"), ("network", "rm")),
    (("volume", "ls", "--quiet"), ("volume", "rm", "--force")),
    (("image", "ls", "--quiet", "--no-trunc"), ("image", "rm", "--force")),
)
# The guardian of a lab that was killed, and the lab that is started next, may remove the same at the same time.
_TRIES, _PAUSE_S = 20, 0.25

# The guardian of a lab that was killed may remove its images while the next lab builds the same ones.
_PROCESS = secrets.token_hex(4)
_kept: set[str] = set()


def remove_labelled(address: str, label: str, pause_s: float = _PAUSE_S) -> None:
    """Containers, their networks, volumes and images. Raises BakeoffError where the engine refuses again and again."""
    for listing, removing in _KINDS:
        for left in reversed(range(_TRIES)):
            found = run_docker(address, [*listing, "--filter", f"label={label}"])
            if not found:
                break
            # An object that another removes at the same time is an error, and soon removed.
            with contextlib.suppress(BakeoffError) if left else contextlib.nullcontext():
                # An image with two names is listed twice.
                run_docker(address, [*removing, *dict.fromkeys(found)])
                break
            time.sleep(pause_s)


def image_labels(checkout: Path) -> tuple[str, str]:
    """Labels of the images of two commits, which are of no use once compared: of the checkout, and of this process."""
    digest = text_digest(str(checkout))[:16]
    return f"bakeoff.images={digest}", f"bakeoff.images-of={digest}-{_PROCESS}"


@contextlib.contextmanager
def images_removed(address: str, checkout: Path) -> Iterator[None]:
    """The images of two commits are removed after the block, also if the lab is killed; of nested blocks after the
    outermost: a gate measures again, and looks for reasons, with the same images.
    """
    of_checkout, own = image_labels(checkout)
    if own in _kept:
        yield
        return
    DockerEngine(address).check()
    # What a lab left that was killed together with its guardian. One lab at a time works in a checkout.
    remove_labelled(address, of_checkout)
    with contextlib.ExitStack() as stack:
        stack.enter_context(children.when_killed(removal_command(address, own)))
        stack.callback(remove_labelled, address, own)
        _kept.add(own)
        stack.callback(_kept.remove, own)
        yield


def removal_command(address: str, label: str) -> Sequence[str]:
    """The command that does the same in another process."""
    return [sys.executable, "-m", "bakeoff.containers.removal", address, label]


if __name__ == "__main__":
    # Nothing is left that could show the error; the next lab of the checkout removes what stayed.
    with contextlib.suppress(BakeoffError):
        remove_labelled(sys.argv[1], sys.argv[2])
