"""Which PostgreSQL a choice means, found in made-up folders."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.postgres import binaries
from bakeoff.postgres.binaries import (
    EMBEDDED,
    SYSTEM,
    UNPRIVILEGED_USER,
    data_folders,
    find_installation,
    folder_outside,
    has_extension,
    programs_of,
)
from bakeoff.project import Project

Install = Callable[[str, str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Makes a folder of programs whose server shows this version. Nothing is installed before."""
    monkeypatch.setattr(binaries, "_SYSTEM_FOLDERS", (str(tmp_path / "{}" / "bin"),))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    (tmp_path / "path").mkdir()

    def made(folder: str, version: str) -> Path:
        programs = tmp_path / folder
        programs.mkdir(parents=True, exist_ok=True)
        program(programs / "postgres", f"postgres (PostgreSQL) {version}")
        program(programs / "initdb", "")
        return programs

    return made


def test_a_project_has_one_folder_outside_by_whichever_path(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert folder_outside(Project(tmp_path / "link")) == folder_outside(Project(tmp_path))


def program(path: Path, output: str) -> None:
    path.write_text(f'#!/bin/sh\necho "{output}"\n', "utf-8")
    path.chmod(0o755)


def test_the_system_has_the_one_on_path_then_that_of_pg_config_then_the_newest(
    install: Install, tmp_path: Path
) -> None:
    install("15/bin", "15.18 (Debian 15.18-0+deb12u1)")
    newest = install("17/bin", "17.2")
    assert programs_of(SYSTEM) == newest
    named = install("elsewhere", "14.23")
    program(tmp_path / "path" / "pg_config", str(named))
    assert programs_of(SYSTEM) == named
    linked = install("preferred", "16.1")
    (tmp_path / "path" / "postgres").symlink_to(linked / "postgres")
    assert programs_of(SYSTEM) == linked


@pytest.mark.parametrize("version", ["13.22", "19beta1", "unknown"])
def test_versions_that_the_lab_does_not_know_are_passed_over(install: Install, version: str) -> None:
    install("17/bin", version)
    with pytest.raises(BakeoffError, match=r'postgres = "system": .*PostgreSQL 14 to 18 .*apt-get install postgresql'):
        programs_of(SYSTEM)
    older = install("16/bin", "16.9")
    assert programs_of(SYSTEM) == older


def test_programs_that_can_make_no_data_are_passed_over(install: Install) -> None:
    (install("16/bin", "16.9") / "initdb").unlink()
    with pytest.raises(BakeoffError, match="there is no PostgreSQL 14 to 18 with its initdb"):
        programs_of(SYSTEM)


def test_a_folder_can_be_named(install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    named = install("own build", "18.1")
    assert programs_of(str(named)) == programs_of("~/own build") == named
    for wrong in (tmp_path, install("old", "12.4"), named / "postgres"):
        with pytest.raises(BakeoffError, match=r"in that folder\. Name the one of its programs, such as /usr/lib"):
            programs_of(str(wrong))


def test_extensions_are_looked_for_where_the_programs_name_their_files(install: Install, tmp_path: Path) -> None:
    programs = install("16/bin", "16.9")
    assert has_extension(SYSTEM, "citext"), "not known, so not refused"
    program(programs / "pg_config", str(tmp_path))
    assert not has_extension(SYSTEM, "citext")
    (tmp_path / "extension").mkdir()
    (tmp_path / "extension" / "citext.control").touch()
    assert has_extension(SYSTEM, "citext")


@pytest.mark.parametrize("extension", ["citext", "hstore", "pg_trgm", "btree_gist", "pg_stat_statements"])
def test_the_embedded_one_has_the_usual_extensions(extension: str) -> None:
    assert has_extension(EMBEDDED, extension)


def test_each_major_version_has_data_of_its_own(
    install: Install, empty_checkout: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "_reachable_by_others", lambda _path: True)
    install("16/bin", "16.9")
    choices = (EMBEDDED, SYSTEM, str(install("own build", "15.1")))
    datas = [find_installation(empty_checkout, choice).data for choice in choices]
    assert datas == [datas[0], datas[0] / "installed-16", datas[0] / "installed-15"]
    assert sorted(data_folders(empty_checkout)) == sorted(datas)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root must run PostgreSQL as another user")
def test_programs_that_the_account_cannot_enter_are_refused(
    install: Install, empty_checkout: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = install("16/bin", "16.9")
    monkeypatch.setattr(binaries, "_reachable_by_others", lambda path: path != programs)
    with pytest.raises(BakeoffError, match=f"the account {UNPRIVILEGED_USER} cannot enter .*16/bin: move it"):
        find_installation(empty_checkout, SYSTEM)
