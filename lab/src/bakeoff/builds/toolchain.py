"""The inputs of a build beside its files: the version of its tools, and variables that change their output."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

_TIMEOUT_S = 20.0

_FLAGS = {
    "CARGO_BUILD_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_ENCODED_RUSTFLAGS", "RUSTC", "RUSTC_WRAPPER", "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN", "GO386", "GOAMD64", "GOARCH", "GOARM64", "GOEXPERIMENT", "GOFIPS140", "GOFLAGS", "GOOS",
    "GOTOOLCHAIN", "JAVA_HOME", "JAVA_TOOL_OPTIONS", "JDK_JAVAC_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_ARGS",
    "MAVEN_OPTS", "AR", "CC", "CFLAGS", "CPPFLAGS", "CXX", "CXXFLAGS", "LDFLAGS",
}  # fmt: skip
_FLAG_PREFIXES = ("CARGO_PROFILE_", "CARGO_TARGET_", "CGO_")
# Says where artifacts are put, not what is in them.
_NO_FLAGS = {"CARGO_TARGET_DIR"}


class Toolchain(msgspec.Struct, frozen=True):
    """The [toolchain] table of a manifest: programs and variables that a build needs, and how to get them."""

    commands: Sequence[str] = ()
    requires_env: Sequence[str] = ()
    install: str = ""
    version_command: Sequence[str] = ()

    @property
    def missing(self) -> list[str]:
        """Programs that are not on PATH, and environment variables that are not set."""
        programs = [program for program in self.commands if shutil.which(program) is None]
        return [*programs, *(f"${variable}" for variable in self.requires_env if not os.environ.get(variable))]


def toolchain_version(command: Sequence[str], directory: Path) -> str | None:
    """The version that the tools print, on one line; None where they print none. They run once for each folder."""
    return _printed(tuple(command), directory) if command else None


def build_flags(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that are set and that change what compilers make."""
    names = sorted(name for name in environment if name in _FLAGS or name.startswith(_FLAG_PREFIXES))
    return {name: environment[name] for name in names if name not in _NO_FLAGS and environment[name]}


@cache
def _printed(command: Sequence[str], directory: Path) -> str | None:
    try:
        done = subprocess.run(
            command, cwd=directory, capture_output=True, text=True, timeout=_TIMEOUT_S, stdin=subprocess.DEVNULL,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    # `java -version` prints to standard error.
    printed = done.stdout.strip() or done.stderr.strip()
    return "; ".join(printed.splitlines()) or None if done.returncode == 0 else None
