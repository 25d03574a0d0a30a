"""Removes what a lab has left in a Docker engine: by its label, so that nothing else is touched.

Runs as a program too, for the guardian of a lab that was killed: `python -m bakeoff.containers.removal ADDRESS LABEL`.
"""

import contextlib
import sys
from collections.abc import Sequence

from bakeoff.containers.docker_command import run_docker
from bakeoff.errors import BakeoffError

_KINDS = (
    (("ps", "--all", "--quiet"), ("rm", "--force", "--volumes")),
    (("network", "ls", "--quiet"), ("network", "rm")),
    (("volume", "ls", "--quiet"), ("volume", "rm", "--force")),
)


def remove_labelled(address: str, label: str) -> None:
    """Containers, their networks and their volumes. Raises BakeoffError where the engine refuses."""
    for listing, removing in _KINDS:
        found = run_docker(address, [*listing, "--filter", f"label={label}"])
        if found:
            run_docker(address, [*removing, *found])


def removal_command(address: str, label: str) -> Sequence[str]:
    """What does the same in a process of its own."""
    return [sys.executable, "-m", "bakeoff.containers.removal", address, label]


if __name__ == "__main__":
    # A container that removes itself meanwhile is an error of the first try only.
    for _ in range(2):
        with contextlib.suppress(BakeoffError):
            remove_labelled(*sys.argv[1:3])
            break
