"""Locks of a checkout and of the machine, held by another process."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.running.lock import MACHINE_LOCK_VARIABLE, checking_lab, machine_lock, measuring_lab, only_lab

HOLDER = """
import sys
from pathlib import Path
from bakeoff.project import Project
from bakeoff.running.lock import measuring_lab, only_lab, checking_lab

what, path = sys.argv[1], Path(sys.argv[2])
with only_lab(path) if what == "checkout" else (checking_lab if what == "tests" else measuring_lab)(Project(path)):
    print("held", flush=True)
    input()
"""


@contextmanager
def held(what: str, path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds a lock, and is killed in the end."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, what, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            yield holder
        finally:
            holder.kill()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The lock of a machine of the test's own."""
    lock = tmp_path / "machine.lock"
    monkeypatch.setenv(MACHINE_LOCK_VARIABLE, str(lock))
    return lock


def test_a_second_lab_is_refused_and_told_who_holds_the_lock(tmp_path: Path) -> None:
    lock = tmp_path / "state" / "lock"
    with only_lab(lock):
        pass
    with (
        held("checkout", lock) as holder,
        pytest.raises(BakeoffError, match=rf"in this project \(process {holder.pid}\)"),
        only_lab(lock),
    ):
        pass
    # A lab that is killed holds nothing any more.
    with only_lab(lock):
        pass


def test_labs_of_two_checkouts_do_not_measure_at_once(machine: Path, tmp_path: Path) -> None:
    here, there = Project(tmp_path / "here"), Project(tmp_path / "there")
    with held("machine", there.root) as holder:
        words = rf"running on this machine \(process {holder.pid} in {there.root}\).*{MACHINE_LOCK_VARIABLE}"
        with pytest.raises(BakeoffError, match=words), measuring_lab(here):
            pass
        # The refused one keeps nothing, and what measures nothing is not in the way.
        with only_lab(here.state / "lock"):
            pass
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(MACHINE_LOCK_VARIABLE, f"{machine}.another")
            with measuring_lab(here):
                pass
    with measuring_lab(here):
        assert machine.read_text() == f"{os.getpid()} in {here.root}"


def test_the_machine_s_lock_is_for_all_users(machine: Path, tmp_path: Path) -> None:
    mask = os.umask(0o077)
    try:
        with measuring_lab(Project(tmp_path)):
            pass
    finally:
        os.umask(mask)
    assert machine.stat().st_mode & 0o777 == 0o666


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_nothing_is_written_through_a_link(machine: Path, tmp_path: Path, link: Callable[[Path, Path], None]) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    link(precious, machine)
    with pytest.raises(BakeoffError, match=f"The lock {machine} .* Remove it"), measuring_lab(Project(tmp_path)):
        pass
    assert precious.read_text() == "kept"


def test_on_a_read_only_file_system_nothing_is_to_be_removed(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "open", refuse)
    words = r"cannot be opened: Read-only file system\. Measure in a copy\.$"
    with pytest.raises(BakeoffError, match=words), only_lab(machine):
        pass


def test_the_machine_s_lock_lies_in_one_place_whatever_the_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MACHINE_LOCK_VARIABLE, raising=False)
    monkeypatch.setenv("TMPDIR", "/a folder")
    monkeypatch.setattr("tempfile.tempdir", None)
    assert machine_lock() == Path("/tmp/bakeoff.lock")  # noqa: S108 — compared, not written


def test_tests_run_beside_tests_and_never_beside_a_measurement(machine: Path, tmp_path: Path) -> None:
    here, there = Project(tmp_path / "here"), Project(tmp_path / "there")
    with held("tests", there.root):
        with checking_lab(here):
            pass
        with pytest.raises(BakeoffError, match="running on this machine"), measuring_lab(here):
            pass
    with held("machine", there.root) as holder:
        words = rf"process {holder.pid} in {there.root}"
        with pytest.raises(BakeoffError, match=words), checking_lab(here):
            pass
    with checking_lab(here):
        assert machine.read_text() == f"{os.getpid()} in {here.root}, which runs tests"


def test_a_search_keeps_the_locks_between_its_trials(machine: Path, tmp_path: Path) -> None:
    project = Project(tmp_path / "here")
    with measuring_lab(project):
        with measuring_lab(project):
            pass
        # What was inside gave nothing up.
        for what, path in (("checkout", project.state / "lock"), ("machine", tmp_path / "there")):
            with pytest.raises(AssertionError), held(what, path):
                pass
    with held("machine", tmp_path / "there"):
        pass


@pytest.mark.parametrize("what", ["checkout", "machine"])
def test_a_lab_that_waits_starts_when_the_other_one_has_ended(tmp_path: Path, machine: Path, what: str) -> None:
    project, other = Project(tmp_path / "one"), tmp_path / ("one" if what == "checkout" else "two")
    said: list[str] = []
    with held("measuring", other) as holder:

        def ended(words: str) -> None:
            said.append(words)
            holder.kill()

        with measuring_lab(project, ended):
            assert machine.read_text("utf-8") == f"{os.getpid()} in {project.root}"
    (words,) = said
    assert f"(process {holder.pid}" in words and words.endswith("This one starts then.")
