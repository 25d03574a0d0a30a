"""The trial of a release: programs of another version, and that lose requests, fail it."""

import json
from pathlib import Path

import pytest

from bakeoff import __version__
from bakeoff.checks.release import try_hit, try_version
from bakeoff.errors import BakeoffError


def program(folder: Path, script: str) -> Path:
    path = folder / "bin" / "bakeoff"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_the_version_must_be_that_of_the_clone(tmp_path: Path) -> None:
    installed = program(tmp_path, "echo bakeoff 0.0.1")
    with pytest.raises(BakeoffError, match=r"printed bakeoff 0\.0\.1"):
        try_version(installed)
    installed.write_text(f"#!/bin/sh\necho bakeoff {__version__}\n")
    try_version(installed)


@pytest.mark.parametrize(("good", "fails"), [(200, False), (199, True)])
def test_every_request_must_succeed(tmp_path: Path, good: int, fails: bool) -> None:
    installed = program(tmp_path, f"echo '{json.dumps({'ok': good})}'")
    if fails:
        with pytest.raises(BakeoffError, match="199 good replies of 200"):
            try_hit(installed)
    else:
        try_hit(installed)


def test_a_program_that_fails_is_shown_with_its_last_lines(tmp_path: Path) -> None:
    installed = program(tmp_path, "echo no server >&2; exit 1")
    with pytest.raises(BakeoffError, match=r"ended with status 1:\nno server"):
        try_hit(installed)
