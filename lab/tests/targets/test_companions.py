"""Processes beside a target: how many, what they get, and that none outlives it."""

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import psutil
import pytest

from bakeoff.builds.build import Build
from bakeoff.errors import BakeoffError
from bakeoff.targets.health import Answer
from bakeoff.targets.manifest import CompanionTable, RunTable, Target
from bakeoff.targets.process import TargetProcess
from made_up_manifests import target

# Prints what it got, and waits to be stopped.
SCRIPT = """
import os, signal
print(os.environ["SHARED"], os.environ["NUMBER"], os.environ["ADDRESS"], flush=True)
signal.pause()
"""
RUN = RunTable(
    command=[sys.executable, "{artifact}"],
    port_variable="SERVER_PORT",
    default_port=1,
    environment={"SHARED": "{scratch}", "NUMBER": "main", "ADDRESS": "127.0.0.1:{port.bus}"},
)


class Healthy:
    """Takes a target for healthy once each of its logs has a line."""

    def __init__(self, logs: list[Path]) -> None:
        self._logs = logs

    def answer(self, _access: object) -> Answer:
        return Answer(is_healthy=all(log.exists() and log.read_text().endswith("\n") for log in self._logs))


def with_companions(folder: Path, *companions: CompanionTable) -> Target:
    script = folder / "service.py"
    script.write_text(SCRIPT)
    build = Build("t", folder, ("true",), (), script, folder, folder / "stamp", folder / "build.log")
    run = msgspec.structs.replace(RUN, companions=companions)
    return replace(target("t", run=run), directory=folder, build=build)


def helper(**changes: object) -> CompanionTable:
    table = CompanionTable("helper", [sys.executable, "{directory}/service.py"], {"NUMBER": "{instance}"})
    return msgspec.structs.replace(table, **changes)


def test_each_companion_shares_a_folder_and_a_port_and_ends_with_the_target(tmp_path: Path) -> None:
    one = with_companions(tmp_path, helper(count_variable="HELPERS"))
    logs = [tmp_path / name for name in ("log.txt", "log.helper-0.log", "log.helper-1.log")]
    with TargetProcess(one, None, Healthy(logs), logs[0], settings={"HELPERS": "2"}) as process:
        pids = list(process.pids.values())
        seen = [log.read_text().split() for log in logs]
        assert len({shared for shared, _, _ in seen}) == len({address for _, _, address in seen}) == 1
        assert [number for _, number, _ in seen] == ["main", "0", "1"]
        scratch = Path(seen[0][0])
        assert scratch.is_dir()
        assert len(pids) == 3
    assert not scratch.exists()
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


def test_limits_of_the_target_are_those_of_its_companions_too(tmp_path: Path) -> None:
    """Replicas are companions of their proxy."""
    one = with_companions(tmp_path, helper())
    logs = [tmp_path / "log.txt", tmp_path / "log.helper-0.log"]
    with TargetProcess(one, None, Healthy(logs), logs[0], before=["env", "NUMBER=limited"]):
        assert [log.read_text().split()[1] for log in logs] == ["limited", "limited"]


def test_a_companion_that_ends_is_the_end_of_the_target(tmp_path: Path) -> None:
    one = with_companions(tmp_path, helper())
    logs = [tmp_path / "log.txt", tmp_path / "log.helper-0.log"]
    with TargetProcess(one, None, Healthy(logs), logs[0]) as process:
        assert not process.has_ended
        helper_pid = process.pids["helper 0"]
        os.kill(helper_pid, signal.SIGKILL)
        # Without taking the status, which is for the code under test.
        os.waitid(os.P_PID, helper_pid, os.WEXITED | os.WNOWAIT)
        assert process.has_ended
        assert "helper 0 of t exited with status -9" in str(process.ended_error())


@pytest.mark.parametrize("number", ["0", "65", "many", "-1", ""])
def test_a_number_of_companions_must_be_one(tmp_path: Path, number: str) -> None:
    one = with_companions(tmp_path, helper(count_variable="HELPERS"))
    with (
        pytest.raises(BakeoffError, match=f'HELPERS is "{number}": the number of helper processes is from 1 to 64'),
        TargetProcess(one, None, Healthy([]), tmp_path / "log", settings={"HELPERS": number}),
    ):
        pass


def test_a_companion_that_cannot_be_started_leaves_nothing_behind(tmp_path: Path) -> None:
    one = with_companions(tmp_path, helper(), helper(name="other", command=["{directory}/nowhere"]))
    with (
        pytest.raises(BakeoffError, match="other 0 of t cannot be started: No such file"),
        TargetProcess(one, None, Healthy([]), tmp_path / "log"),
    ):
        pass
    assert not [child for child in psutil.Process().children() if str(tmp_path) in " ".join(child.cmdline())]


LISTENER = """
import os, signal, socket
listener = socket.create_server(("127.0.0.1", int(os.environ["ADDRESS"].split(":")[1])))
signal.pause()
"""
CALLER = """
import os, socket
host, port = os.environ["ADDRESS"].split(":")
socket.create_connection((host, int(port))).close()
print("connected", flush=True)
import signal; signal.pause()
"""


def test_what_follows_a_companion_finds_its_port_open(tmp_path: Path) -> None:
    one = with_companions(
        tmp_path,
        helper(name="bus", command=[sys.executable, "-c", LISTENER], ready_port="bus"),
        helper(name="caller", command=[sys.executable, "-c", CALLER]),
    )
    log = tmp_path / "log.caller-0.log"
    with TargetProcess(one, None, Healthy([log]), tmp_path / "log.txt"):
        assert log.read_text() == "connected\n"


def test_a_companion_that_ends_before_it_listens_is_told(tmp_path: Path) -> None:
    one = with_companions(tmp_path, helper(name="bus", command=[sys.executable, "-c", "print('no')"], ready_port="bus"))
    with (
        pytest.raises(BakeoffError, match=r"(?s)bus 0 of t did not start\. Nothing listens on port \d+.*no"),
        TargetProcess(one, None, Healthy([]), tmp_path / "log.txt"),
    ):
        pass


def test_each_of_several_companions_has_a_port_of_its_own(tmp_path: Path) -> None:
    script = LISTENER.replace('os.environ["ADDRESS"].split(":")[1]', 'os.environ["OWN"]')
    instances = helper(
        name="gateway",
        command=[sys.executable, "-c", script, "{port.gateway-{instance}}"],
        environment={"OWN": "{port.gateway-{instance}}"},
        count=2,
        ready_port="gateway-{instance}",
    )
    with TargetProcess(with_companions(tmp_path, instances), None, Healthy([]), tmp_path / "log.txt") as process:
        commands = [psutil.Process(pid).cmdline() for name, pid in process.pids.items() if name != "t"]
        assert len({command[-1] for command in commands}) == 2
        assert all(command[-1].isdecimal() for command in commands)
