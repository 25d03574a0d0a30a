"""A build's dependencies beside its inputs."""

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.builds.build import Build, BuildTable, build_of
from bakeoff.builds.toolchain import build_flags, toolchain_version
from bakeoff.project import Project

COPY = "import shutil; shutil.copy('in', 'out')"


@pytest.fixture
def build(empty_checkout: Project) -> Build:
    """A build that is fresh, of a tool whose version is in a file."""
    here = empty_checkout.root / "targets" / "thing"
    here.mkdir(parents=True)
    (here / "in").write_text("one")
    entry = BuildTable(command=[sys.executable, "-c", COPY], inputs=["in"], artifact="out")
    built = build_of("thing", here, entry, empty_checkout, ["echo", "1.0"])
    built.run(lambda _: None)
    assert not built.is_stale()
    return built


def test_another_version_of_the_tools_is_another_build(build: Build) -> None:
    assert build.toolchain == "1.0"
    assert replace(build, version_command=("echo", "1.1")).is_stale()


@pytest.mark.parametrize(
    "name", ["RUSTFLAGS", "GOFLAGS", "GOAMD64", "CGO_ENABLED", "MAVEN_OPTS", "CARGO_PROFILE_RELEASE_LTO"]
)
def test_another_flag_is_another_build(build: Build, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "0")
    assert build.is_stale()
    assert build_flags()[name] == "0"


def test_variables_that_change_no_artifact_are_no_flags(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "vi")
    monkeypatch.setenv("CARGO_TARGET_DIR", "/elsewhere")
    assert not build.is_stale()


def test_an_artifact_that_was_not_built_here_is_stale(build: Build) -> None:
    built = hashlib.sha256(b"one").hexdigest()
    assert build.artifact_sha256 == built
    build.artifact.write_text("made by hand")
    assert build.is_stale()
    build.run(lambda _: None)
    assert build.artifact_sha256 == built
    assert not build.is_stale()


def test_the_digest_covers_all_that_the_artifact_needs(build: Build) -> None:
    library = build.directory / "lib" / "core.jar"
    library.parent.mkdir()
    library.write_text("core")
    whole = replace(build, contents=(library.parent,))
    lines = [f"{hashlib.sha256(text).hexdigest()}  {name}\n" for text, name in ((b"one", "out"), (b"core", "core.jar"))]
    assert whole.artifact_sha256 == hashlib.sha256("".join(lines).encode()).hexdigest()
    before = whole.artifact_sha256
    library.write_text("another core")
    assert whole.artifact_sha256 != before


def test_what_prints_no_version_is_no_error(tmp_path: Path) -> None:
    assert toolchain_version(["no-such-program-at-all"], tmp_path) is None
    assert toolchain_version([], tmp_path) is None
    assert toolchain_version([sys.executable, "-c", "raise SystemExit(1)"], tmp_path) is None
    # As `java -version` does.
    assert toolchain_version([sys.executable, "-c", "import sys; print('a\\nb', file=sys.stderr)"], tmp_path) == "a; b"
