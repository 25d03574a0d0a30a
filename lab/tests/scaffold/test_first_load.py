"""New workloads are checked by the engine, where it is built, before they are called done."""

import sys
from pathlib import Path

import pytest

from bakeoff.builds.build import Build
from bakeoff.cli.init import InitOptions, make_project
from bakeoff.engines.manifest import Command, Engine, find_engine
from bakeoff.errors import BakeoffError
from bakeoff.project import PROJECT_VARIABLE, Project
from bakeoff.scaffold import first_load
from bakeoff.workload.loader import load_workload

PROTO = """
syntax = "proto3";
message A {}
service S { rpc One(A) returns (A); rpc Two(A) returns (A); }
"""
# Refuses the operations that its first argument names, or the whole plan.
REFUSING = """
import json, sys
names = [each["name"] for each in json.load(sys.stdin)["operations"] if each["name"] == sys.argv[1]]
if sys.argv[1] == "all": names = [None]
print(json.dumps({"faults": [{"operation": name, "message": "no"} for name in names], "samples": []}))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(PROJECT_VARIABLE, raising=False)
    (tmp_path / "shop.proto").write_text(PROTO, "utf-8")
    return tmp_path


def refusing(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, *, is_built: bool = True) -> None:
    """Takes an engine that refuses an operation in the place of the tool's."""
    real = find_engine("native")
    manifest = real.manifest.__class__(
        protocols=["grpc"],
        models=[],
        build=real.manifest.build,
        run=real.manifest.run,
        installed=real.manifest.installed,
        check=Command([sys.executable, "-c", REFUSING, name]),
    )
    artifact = folder / "engine"
    if is_built:
        artifact.touch()
    build = Build("engine", folder, (), (artifact,), artifact, folder, folder / "stamp", folder / "log")
    monkeypatch.setattr(first_load, "find_engine", lambda _: Engine("native", folder, manifest, build))


def test_what_the_engine_refuses_is_left_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refusing(monkeypatch, folder, "Two")

    make_project(InitOptions(["shop"]))

    assert [each.name for each in load_workload(Project(folder), "shop").declared.operations] == ["One"]
    assert "- Two is left out: the engine refuses it: no" in capsys.readouterr().out


def test_a_plan_that_the_engine_refuses_is_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(monkeypatch, folder, "all")

    with pytest.raises(BakeoffError, match="The engine refuses the plan of shop: no"):
        make_project(InitOptions(["shop"]))

    assert not (folder / "bakeoff.toml").exists()


def test_folders_with_what_the_engine_refuses_are_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(monkeypatch, folder, "Two")

    with pytest.raises(BakeoffError, match="shop: Two cannot be sent: the engine refuses it: no"):
        make_project(InitOptions(["shop"], proto=Path("shop.proto"), full=True))

    assert not list(folder.rglob("workload.toml"))


def test_an_engine_that_is_not_built_is_not_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(monkeypatch, folder, "Two", is_built=False)

    make_project(InitOptions(["shop"]))

    assert len(load_workload(Project(folder), "shop").declared.operations) == 2
