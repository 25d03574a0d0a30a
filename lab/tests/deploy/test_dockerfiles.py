"""Dockerfiles: properties that containers of their images rest on."""

import json
import re
from pathlib import PurePosixPath

from bakeoff.project import Project


def test_no_volume_holds_the_python_environment(clone: Project) -> None:
    """A container's start copies into a new volume what the image has there: minutes for an environment."""
    text = (clone.root / "deploy/docker/lab.Dockerfile").read_text("utf-8")
    (environment,) = re.findall(r"UV_PROJECT_ENVIRONMENT=(\S+)", text)
    (volumes,) = re.findall(r"^VOLUME (.*)$", text, re.MULTILINE)
    parents = [str(parent) for parent in PurePosixPath(environment).parents]
    assert not set(json.loads(volumes)) & {environment, *parents}


def test_no_image_has_the_passwords_of_compose(clone: Project) -> None:
    """The lab's image has the checkout, and Compose reads its settings from a file beside its own."""
    assert "**/.env" in (clone.root / ".dockerignore").read_text("utf-8").splitlines()
