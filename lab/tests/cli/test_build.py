"""`./bakeoff build`: what builds see of the lab's environment, and artifacts that were built elsewhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bakeoff.cli.app import app
from bakeoff.engines.manifest import engine_files, find_engine
from bakeoff.errors import BakeoffError
from bakeoff.project import Project


def test_an_adopted_engine_needs_no_toolchain_and_no_project(
    engine_checkout: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("BAKEOFF_PROJECT", "/nowhere")
    engine = find_engine("native")
    with pytest.raises(BakeoffError, match="needs cargo"):
        engine.check_toolchain()
    with pytest.raises(BakeoffError, match="Copy it there first"):
        engine.build.adopt()
    engine.build.artifact.parent.mkdir(parents=True)
    engine.build.artifact.write_text("built elsewhere")
    result = CliRunner().invoke(app, ["build", "--adopt", "native"])
    assert "counts as built" in " ".join(result.output.split())
    engine.check_toolchain()
    assert not engine.build.is_stale()


def test_a_build_started_by_a_hook_of_git_works_on_the_repository_of_its_folder(empty_checkout: Project) -> None:
    text = '[targets.api]\nworkload = "events"\nrun = "true"\n'
    build = 'build = { command = ["sh", "-c", "env > seen"], artifact = "seen" }\n'
    empty_checkout.file.write_text(text + build, "utf-8")
    hook = {"GIT_DIR": "/elsewhere/.git", "GIT_INDEX_FILE": "/elsewhere/.git/index", "GIT_AUTHOR_NAME": "a"}
    command = [sys.executable, "-m", "bakeoff", "--project", str(empty_checkout.root), "build", "api"]
    subprocess.run(command, env={**os.environ, **hook}, check=True, capture_output=True, timeout=60)
    seen = (empty_checkout.root / "seen").read_text("utf-8").splitlines()
    assert {name for name in hook for line in seen if line.startswith(f"{name}=")} == {"GIT_AUTHOR_NAME"}


@pytest.fixture
def engine_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A clone with the native engine's manifest, and sources of one line."""
    native = tmp_path / "load" / "native"
    (native / "src").mkdir(parents=True)
    for name in ("Cargo.toml", "Cargo.lock", "src/main.rs"):
        (native / name).write_text("")
    (native / "engine.toml").write_text(engine_files()["native"].read_text("utf-8"))
    monkeypatch.setattr("bakeoff.engines.manifest.find_checkout", lambda: Project(tmp_path))
    return Project(tmp_path)
