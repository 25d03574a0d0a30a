"""Removes what a lab has left in a Docker engine: by its label, so that nothing else is touched.

Runs as a program too, for the guardian of a lab that was killed: `python -m bakeoff.containers.removal ADDRESS LABEL`.
"""

import contextlib
import sys
import time
from collections.abc import Sequence

from bakeoff.containers.docker import run_docker
from bakeoff.errors import BakeoffError

_KINDS = (
    (("ps", "--all", "--quiet"), ("rm", "--force", "--volumes")),
    (("network", "ls", "--quiet"), ("network", "rm")),
    (("volume", "ls", "--quiet"), ("volume", "rm", "--force")),
)
# The guardian of a lab that was killed, and the lab that is started next, may remove the same at the same time.
_TRIES, _PAUSE_S = 20, 0.25


def remove_labelled(address: str, label: str, pause_s: float = _PAUSE_S) -> None:
    """Containers, their networks and their volumes. Raises BakeoffError where the engine refuses again and again."""
    for listing, removing in _KINDS:
        for left in reversed(range(_TRIES)):
            found = run_docker(address, [*listing, "--filter", f"label={label}"])
            if not found:
                break
            # An object that another removes at the same time is an error, and soon removed.
            with contextlib.suppress(BakeoffError) if left else contextlib.nullcontext():
                run_docker(address, [*removing, *found])
                break
            time.sleep(pause_s)


def removal_command(address: str, label: str) -> Sequence[str]:
    """The command that does the same in another process."""
    return [sys.executable, "-m", "bakeoff.containers.removal", address, label]


if __name__ == "__main__":
    # Nothing is left that could show the error; the next lab of the checkout removes what stayed.
    with contextlib.suppress(BakeoffError):
        remove_labelled(sys.argv[1], sys.argv[2])
