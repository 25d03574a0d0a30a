"""Dockerfiles: properties that containers of their images rest on."""

import json
import posixpath
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


def test_state_and_results_of_the_gallery_lie_in_volumes(clone: Project) -> None:
    """The rest of a container may be read-only."""
    text = (clone.root / "deploy/docker/lab.Dockerfile").read_text("utf-8")
    (volumes,) = re.findall(r"^VOLUME (.*)$", text, re.MULTILINE)
    (results,) = re.findall(r"BAKEOFF_RESULTS=(\S+)", text)
    (state,) = re.findall(r"ln -s (\S+) gallery/.bakeoff", text)
    assert {results, posixpath.normpath(f"/bakeoff/gallery/{state}")} == set(json.loads(volumes))


def test_no_image_has_the_passwords_of_compose(clone: Project) -> None:
    """The lab's image has the clone, and Compose reads its settings from a file beside its own."""
    assert "**/.env" in (clone.root / ".dockerignore").read_text("utf-8").splitlines()
