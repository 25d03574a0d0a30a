"""The tool as people install it: the wheel of the lab, and the clone's engine in place of the engine's wheel."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.engines.manifest import find_engine
from bakeoff.project import Project


def python_of_all() -> str:
    """The system's Python, which every account can start, where it is new enough; else that of the tests."""
    python = shutil.which("python3", path=os.defpath)
    newer = "import sys; sys.exit(sys.version_info < (3, 11))"
    is_new = python is not None and subprocess.run([python, "-c", newer], check=False).returncode == 0
    return python if python is not None and is_new else sys.executable


def installed_programs(clone: Project, folder: Path, python: str) -> Path:
    """The programs of a new environment of this Python in a folder."""
    own = clone.state / "uv" / "bin" / "uv"
    uv = str(own) if own.exists() else shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not on PATH (pip install uv)")

    def call(*arguments: str) -> None:
        done = subprocess.run([uv, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr

    call("build", "--quiet", "--wheel", f"--out-dir={folder}", str(clone.root / "lab"))
    call("venv", "--quiet", f"--python={python}", "venv")
    (wheel,) = folder.glob("bakeoff-*.whl")
    # The engine of this clone stands for the wheel that release-check builds of the same sources.
    stand_in = folder / "engine"
    _package_of(find_engine("native").build.artifact, stand_in)
    call("pip", "install", "--quiet", "--python=venv/bin/python", f"{wheel}", f"bakeoff-load @ file://{stand_in}")
    return folder / "venv" / "bin"


def _package_of(program: Path, folder: Path) -> None:
    """A package that installs a program and nothing else."""
    folder.mkdir()
    shutil.copy(program, folder / "bakeoff-load")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    members = {"name": "bakeoff-load", "version": version, "data_files": [("bin", ["bakeoff-load"])]}
    (folder / "setup.py").write_text(f"from setuptools import setup\nsetup(**{members!r})\n")
