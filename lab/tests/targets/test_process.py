"""A target that does not become healthy: its port, its log, and what to correct."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from bakeoff.builds.build import Build
from bakeoff.errors import BakeoffError
from bakeoff.targets.access import Access
from bakeoff.targets.health import HEALTHY, Answer
from bakeoff.targets.manifest import RunTable, Target
from bakeoff.targets.own_command import run_own_command
from bakeoff.targets.process import TargetProcess
from bakeoff.targets.short_form import shell_command
from bakeoff.targets.surroundings import Surroundings
from made_up_manifests import target

LISTENS = """
import os, signal, socket, sys
listener = socket.create_server(("127.0.0.1", int(os.environ[sys.argv[1]]) if sys.argv[1:] else 0))
print("listens on", listener.getsockname()[1], flush=True)
signal.pause()
"""
SLEEPS = "import signal\nprint('thinking about it', flush=True)\nsignal.pause()\n"


class Ill:
    """Finds the target not healthy, and lets its time pass once it has written a line or ended."""

    def __init__(self, process_log: Path) -> None:
        self._log = process_log

    def answer(self, _access: Access) -> Answer:
        while not self._log.read_text("utf-8").endswith("\n"):
            pass
        return Answer(is_healthy=False)


class HealthyLater(Ill):
    """Finds it not healthy once, and healthy from then on."""

    _asked = False

    def answer(self, access: Access) -> Answer:
        asked, self._asked = self._asked, True
        return HEALTHY if asked else super().answer(access)


class Ended:
    """Waits for the end of a process, and finds it not healthy."""

    process: TargetProcess

    def answer(self, _access: Access) -> Answer:
        self.process.wait()
        return Answer(is_healthy=False)


def refused(folder: Path, script: str, *arguments: str) -> tuple[str, int]:
    """The message about a target that runs a script, and the port that it was given."""
    log = folder / "log"
    listens_elsewhere = script == LISTENS and not arguments
    listens_within_s = 600.0 if listens_elsewhere else 0.0
    process = TargetProcess(
        program(folder, script, *arguments),
        None,
        Ill(log),
        log,
        healthy_within_s=0.0,
        listens_within_s=listens_within_s,
    )
    with pytest.raises(BakeoffError) as error, process:
        pass
    return error.value.message, process.port


def program(folder: Path, script: str, *arguments: str) -> Target:
    path = folder / "service.py"
    path.write_text(script)
    build = Build("t", folder, ("true",), (), path, folder, folder / "stamp", folder / "build.log")
    run = msgspec.structs.replace(RunTable(), command=[sys.executable, "{artifact}", *arguments])
    return replace(target("t", run=run), directory=folder, build=build)


def test_a_port_that_never_opens(tmp_path: Path) -> None:
    words, port = refused(tmp_path, SLEEPS)
    assert words == (
        f"t did not become healthy within 0 s. Nothing listens on port {port}, which it was given: use {{port}} in "
        f"its run or env, or the variable PORT. Last lines of {tmp_path / 'log'}:\n    thinking about it"
    )


def test_a_port_that_opens_late_on_a_busy_machine(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with TargetProcess(program(tmp_path, SLEEPS), None, HealthyLater(log), log, healthy_within_s=0.0):
        pass


def test_another_port_than_the_one_that_was_given(tmp_path: Path) -> None:
    words, port = refused(tmp_path, LISTENS)
    own = (tmp_path / "log").read_text().split()[-1]
    assert f"It listens on port {own}, and nothing on port {port}, which it was given: use {{port}}" in words


def test_a_port_that_opens_without_a_healthy_answer(tmp_path: Path) -> None:
    words, port = refused(tmp_path, LISTENS, "PORT")
    assert f"It listens on port {port}, and its health check fails. Correct ready, or [health]." in words


def test_a_program_that_does_not_exist(tmp_path: Path) -> None:
    run = RunTable(command=["no-such-program"])
    with (
        pytest.raises(BakeoffError, match=r"t cannot be started: .*: no-such-program. Correct its run\."),
        TargetProcess(
            replace(program(tmp_path, ""), manifest=target("t", run=run).manifest),
            None,
            Ill(tmp_path),
            tmp_path / "log",
        ),
    ):
        pass


def test_a_shell_finds_files_in_a_folder_with_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "my project"
    folder.mkdir()
    one = program(folder, "import sys; print(*sys.argv[1:], sep='|', flush=True); sys.exit(1)")
    text = f'{shlex.quote(sys.executable)} {{artifact}} {{state}}/notes.db "{{directory}}/x" -p={{port}}'
    run = msgspec.structs.replace(RunTable(), command=shell_command(text, is_service=True))
    one = replace(one, manifest=msgspec.structs.replace(one.manifest, run=run))
    ended, log = Ended(), tmp_path / "log"
    ended.process = TargetProcess(one, None, ended, log, state=folder)
    with pytest.raises(BakeoffError, match="exited with status 1"), ended.process:
        pass
    assert log.read_text("utf-8") == f"{folder}/notes.db|{folder}/x|-p={ended.process.port}\n"


def test_prepare_finds_files_in_a_folder_with_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "my project"
    folder.mkdir()
    run_own_command(
        program(folder, ""), "prepare", "echo made > {state}/notes.db", Surroundings(1, state=folder), tmp_path / "log"
    )
    assert (folder / "notes.db").read_text("utf-8") == "made\n"


@pytest.mark.parametrize(("status", "advice"), [(0, "Its run must stay in the foreground. "), (3, "")])
def test_a_target_that_ends_at_once(tmp_path: Path, status: int, advice: str) -> None:
    ended = Ended()
    process = TargetProcess(program(tmp_path, f"print('no key'); exit({status})"), None, ended, tmp_path / "log")
    ended.process = process
    with pytest.raises(BakeoffError) as error, process:
        pass
    assert error.value.message.startswith(f"t exited with status {status}. {advice}Last lines of ")
    assert error.value.message.endswith("    no key")
