"""Needs of tests of a real Docker engine; without it they are skipped, or fail where it is required."""

import os
import subprocess
from pathlib import Path

import pytest

from bakeoff.builds.digests import text_digest
from bakeoff.checks.checks import REQUIRED_VARIABLE
from bakeoff.containers.docker import DockerEngine, run_docker
from bakeoff.containers.removal import image_labels

# What Dockerfiles of the checkout are based on: the smallest image that tests can expect.
SMALL_IMAGE = "debian:bookworm-slim"


def left(docker: DockerEngine, checkout: Path) -> list[str]:
    """Containers, networks, volumes and images of the labs of a checkout."""
    of_labs = f"bakeoff.checkout={text_digest(str(checkout))[:16]}"
    kinds = {"ps --all": of_labs, "network ls": of_labs, "volume ls": of_labs, "image ls": image_labels(checkout)[0]}
    found = (
        run_docker(docker.address, [*kind.split(), "--quiet", "--filter", f"label={label}"])
        for kind, label in kinds.items()
    )
    return [each for of_kind in found for each in of_kind]


def skip_without(tool: str, reason: str) -> None:
    """Skips the test; where `./bakeoff test --require` names the tool, the test fails instead."""
    if tool in os.environ.get(REQUIRED_VARIABLE, "").split(","):
        pytest.fail(f"--require {tool}: {reason}")
    pytest.skip(reason)


def need_image(docker: DockerEngine, image: str) -> None:
    """Skips the test where the image is not here and cannot be pulled."""
    command = ["docker", "--host", docker.address]
    if subprocess.run([*command, "image", "inspect", image], capture_output=True, check=False).returncode == 0:
        return
    pulled = subprocess.run([*command, "pull", "--quiet", image], capture_output=True, text=True, check=False)
    if pulled.returncode != 0:
        skip_without("docker", f"the image {image} is not here and cannot be pulled: {pulled.stderr.strip()}")
