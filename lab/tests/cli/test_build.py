"""`./bakeoff build --adopt`: an engine that was built elsewhere serves without its toolchain."""

import pytest
from typer.testing import CliRunner

from bakeoff.cli.app import app
from bakeoff.engines.manifest import find_engine
from bakeoff.errors import BakeoffError
from bakeoff.project import Project


def test_an_adopted_engine_needs_no_toolchain(
    project: Project, engine_checkout: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    engine = find_engine(engine_checkout, "native")
    with pytest.raises(BakeoffError, match="needs cargo"):
        engine.check_toolchain()
    with pytest.raises(BakeoffError, match="Copy it there first"):
        engine.build.adopt()
    engine.build.artifact.parent.mkdir(parents=True)
    engine.build.artifact.write_text("built elsewhere")
    monkeypatch.setattr("bakeoff.cli.targets.find_project", lambda: engine_checkout)
    result = CliRunner().invoke(app, ["build", "--adopt", "native"])
    assert "counts as built" in " ".join(result.output.split())
    engine.check_toolchain()
    assert not engine.build.is_stale()


@pytest.fixture
def engine_checkout(project: Project, empty_checkout: Project) -> Project:
    """A checkout with the native engine's manifest, and sources of one line."""
    (empty_checkout.engines / "native" / "src").mkdir(parents=True)
    for name in ("Cargo.toml", "Cargo.lock", "src/main.rs"):
        (empty_checkout.engines / "native" / name).write_text("")
    manifest = (project.engines / "native" / "engine.toml").read_text("utf-8")
    (empty_checkout.engines / "native" / "engine.toml").write_text(manifest)
    return empty_checkout
