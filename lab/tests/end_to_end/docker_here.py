"""Needs of tests of a real Docker engine; without it they are skipped, or fail where it is required."""

import os
import subprocess

import pytest

from bakeoff.checks.checks import REQUIRED_VARIABLE
from bakeoff.containers.docker import DockerEngine

# What Dockerfiles of the checkout are based on: the smallest image that tests can expect.
SMALL_IMAGE = "debian:bookworm-slim"


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
