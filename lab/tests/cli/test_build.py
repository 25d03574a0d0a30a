"""`./bakeoff build --adopt`: an engine that was built elsewhere serves without its toolchain."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from bakeoff.cli.app import app
from bakeoff.engines.manifest import engine_files, find_engine
from bakeoff.errors import BakeoffError
from bakeoff.project import Project


def test_an_adopted_engine_needs_no_toolchain(engine_checkout: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
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
