"""Engines of an installed package: programs beside the interpreter or on PATH, of the same release."""

from pathlib import Path

import pytest

from bakeoff import __version__
from bakeoff.engines.manifest import Engine, engine_files, find_engine
from bakeoff.errors import BakeoffError


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of programs of an environment that bakeoff was installed into as a wheel; PATH has none."""
    files = engine_files()
    monkeypatch.setattr("bakeoff.engines.manifest.find_checkout", lambda: None)
    monkeypatch.setattr("bakeoff.engines.manifest.engine_files", lambda: files)
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    return tmp_path


def program(folder: Path, name: str, version: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho {name} {version}\n")
    path.chmod(0o755)
    return path


def test_the_program_beside_the_interpreter_is_the_engine(scripts: Path) -> None:
    installed = program(scripts, "bakeoff-load", __version__)
    engine = find_engine("native")
    engine.check_toolchain()
    assert engine.command == [str(installed), "run"]
    assert not engine.build.is_stale()
    assert engine.build_version("0.1.0").startswith("0.1.0+"), "the program that is installed identifies its ceilings"


def test_a_program_of_another_release_is_refused(scripts: Path) -> None:
    program(scripts, "bakeoff-load", "0.0.9")
    with pytest.raises(BakeoffError, match=rf"bakeoff-load 0\.0\.9.*pip install bakeoff-load=={__version__} installs"):
        find_engine("native").check_toolchain()


def test_k6_on_path_is_enough(scripts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = scripts / "elsewhere"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    k6 = program(folder, "k6", "v1.9.0")
    engine = find_engine("k6")
    engine.check_toolchain()
    assert engine.command[-2:] == ["--k6", str(k6)]
    assert Path(engine.command[1]).is_file()


@pytest.mark.parametrize(("name", "words"), [("native", "pip install bakeoff-load"), ("k6", "install-k6")])
@pytest.mark.usefixtures("scripts")
def test_a_missing_program_names_how_to_install_it(name: str, words: str) -> None:
    engine: Engine = find_engine(name)
    with pytest.raises(BakeoffError, match=f"The engine {name} needs .*{words}"):
        engine.check_toolchain()


@pytest.mark.usefixtures("scripts")
def test_an_image_has_the_engine_where_the_checkout_has_it() -> None:
    command = find_engine("native").contained().command
    assert command == ["/bakeoff/load/native/target/release/bakeoff-load", "run"]


def test_containers_of_this_machine_run_the_installed_program(scripts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = program(scripts, "bakeoff-load", __version__)
    engine = find_engine("native").in_docker()
    assert engine.command == [str(installed), "run"]
    assert engine.in_container == ("debian:bookworm-slim", [installed])
    assert not engine.build.is_stale()
    monkeypatch.setenv("BAKEOFF_ENGINE_IMAGE", "mirror/debian:13")
    assert find_engine("native").in_docker().in_container[0] == "mirror/debian:13"
