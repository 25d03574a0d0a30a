"""Agents over ssh, with an `ssh` that runs what it is given in a shell here: what is sent, and what is refused."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted_plan import Scripted

from bakeoff.builds.build import Build
from bakeoff.engines.agents import Agents
from bakeoff.engines.manifest import Command, Engine
from bakeoff.engines.ssh import Ssh
from bakeoff.engines.stream import End, Record
from bakeoff.errors import BakeoffError
from bakeoff.options.ssh_host import ssh_host
from made_up_manifests import engine

# Keeps what it is called with, and runs the last of it.
SSH = """#!/bin/sh
printf '%s\\n' "$@" >> {folder}/calls
{before}
for last; do :; done
exec sh -c "$last"
"""
# Writes a ledger and a stream as an engine does that is given a plan without phases.
ENGINE = """#!/bin/sh
[ "$1" = --version ] && exit {version_status}
read -r plan
case $plan in *'"ledger":"ledger"'*) echo kept > ledger ;; esac
echo '{"type":"start","version":1,"engine":{"name":"e","version":"1"},"workload":"w","target":"t","protocol":"http",\
"connections":1,"time_unix_ns":1}'
echo '{"type":"end","reason":"completed","message":"","time_unix_ns":2}'
exit {status}
"""


class Remote:
    """A host that is this machine, in its own folders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary, self.cache = folder / "temporary", folder / "cache"
        for made in (self.temporary, folder / "bin"):
            made.mkdir()
        self.knows()
        self.place = Ssh(ssh_host("ssh://me@host:2222"))

    def knows(self, before: str = "") -> None:
        """The first action of its ssh."""
        ssh = self.folder / "bin" / "ssh"
        ssh.write_text(SSH.format(folder=self.folder, before=before))
        ssh.chmod(0o755)

    @property
    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()

    def engine(self, status: int = 0, version_status: int = 0) -> Engine:
        artifact = self.folder / "load"
        artifact.write_text(ENGINE.replace("{status}", str(status)).replace("{version_status}", str(version_status)))
        build = Build("e", self.folder, ("true",), (), artifact, self.folder, self.folder, self.folder)
        made = engine("e", "agents", run=Command(["{artifact}", "run"]))
        return replace(made, directory=self.folder, build=build)

    def agents(self, made: Engine) -> Agents:
        plan: Any = Scripted([], ledger=str(self.folder / "ledger"))
        stream, log = self.folder / "x.stream.jsonl", self.folder / "x.engine.log"
        return Agents(made, plan, self.folder / "plan.json", stream, log, [self.place])


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Remote:
    made = Remote(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(made.cache))
    monkeypatch.setenv("TMPDIR", str(made.temporary))
    return made


def test_the_engine_is_copied_once_and_its_ledger_fetched(remote: Remote) -> None:
    made = remote.engine()
    for _ in range(2):
        remote.place.check()
        remote.place.install(made)
    (copied,) = (remote.cache / "bakeoff").iterdir()
    assert copied.name == f"load-{made.build.artifact_sha256}" and os.access(copied, os.X_OK)
    assert sum(line.startswith("mkdir -p") for line in remote.calls) == 1
    with remote.agents(made) as agents:
        records: list[Record] = agents.records(lambda _: None)
        assert agents.pids == []
    assert isinstance(records[-1], End)
    assert (remote.folder / "ledger").read_text() == "kept\n"
    assert list(remote.temporary.iterdir()) == []
    assert {"BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "2222", "me@host"} <= set(remote.calls)


def test_an_engine_that_fails_is_named_with_its_status(remote: Remote) -> None:
    made = remote.engine(status=3)
    remote.place.install(made)
    words = r"Agent 1 of 1 \(ssh://me@host:2222\): The engine e ended with status 3"
    with remote.agents(made) as agents, pytest.raises(BakeoffError, match=words):
        agents.records(lambda _: None)
    assert list(remote.temporary.iterdir()) == []


def test_another_architecture_is_refused(remote: Remote) -> None:
    remote.knows("echo Linux riscv64; exit 0")
    with pytest.raises(BakeoffError, match=r"ssh://me@host:2222 is Linux riscv64, and this machine builds engines for"):
        remote.place.check()


def test_an_engine_that_does_not_start_there_is_refused(remote: Remote) -> None:
    words = r"ssh://me@host:2222: the engine e, which was built on this machine, does not start there \(status 9\)"
    with pytest.raises(BakeoffError, match=words):
        remote.place.install(remote.engine(version_status=9))


def test_a_host_that_refuses_is_named_with_its_reason(remote: Remote) -> None:
    remote.knows("echo 'Permission denied (publickey).' >&2; exit 255")
    words = r"ssh://me@host:2222: Permission denied \(publickey\). Does `ssh me@host` work without a question\?"
    with pytest.raises(BakeoffError, match=words):
        remote.place.check()


def test_without_an_ssh_client(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(remote.temporary))
    with pytest.raises(BakeoffError, match="There is no ssh on PATH"):
        remote.place.check()
