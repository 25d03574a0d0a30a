"""Docker's own command-line client, for what changes something: starting and removing."""

import subprocess
from collections.abc import Sequence

from bakeoff.errors import BakeoffError

_TIMEOUT_S = 60.0


def docker_command(address: str, *arguments: str) -> list[str]:
    """A command of the client for the engine at an address."""
    return ["docker", "--host", address, *arguments]


def run_docker(address: str, arguments: Sequence[str]) -> list[str]:
    """The lines that a command prints. Raises BakeoffError with its output when it fails."""
    command = docker_command(address, *arguments)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except FileNotFoundError as error:
        raise BakeoffError(
            "Docker's client, docker, was not found on PATH. Install it (Debian: apt-get install docker.io), or run "
            "without --in docker."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise BakeoffError(f"docker {arguments[0]} did not end within {_TIMEOUT_S:.0f} s.") from error
    if done.returncode != 0:
        raise BakeoffError(f"docker {' '.join(arguments[:2])} failed: {done.stderr.strip()}")
    return done.stdout.split()
