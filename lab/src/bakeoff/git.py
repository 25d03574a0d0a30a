"""git for the repository that a folder lies in."""

import os
import subprocess
from pathlib import Path

# A hook of git gets these of its own repository and index, and they take precedence over the folder:
# `git rev-parse --local-env-vars` without the user's settings, which git too hands on to other repositories.
_OF_ONE_REPOSITORY = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)


def leave_hook() -> None:
    """Lets this process and those that it starts work on the repository of their folder, though a hook started it."""
    for name in _OF_ONE_REPOSITORY:
        os.environ.pop(name, None)


def git(folder: Path, *arguments: str, timeout_s: float | None = None) -> "subprocess.CompletedProcess[str]":
    """A command of git in a folder, which may fail; its output keeps names of files in any encoding.

    Raises OSError where git cannot be run, and TimeoutExpired.
    """
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, check=False, timeout=timeout_s)
    return subprocess.CompletedProcess(command, done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))
