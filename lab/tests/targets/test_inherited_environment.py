"""A target's environment: what programs need and what its manifest names, and nothing else of the lab's."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from bakeoff.builds.build import Build
from bakeoff.targets.health import Answer
from bakeoff.targets.manifest import DeclaredSetting, RunTable
from bakeoff.targets.process import TargetProcess
from bakeoff.targets.surroundings import inherited_by
from made_up_manifests import target

SECRETS = {
    "METRICS_DATABASE_URL": "postgresql://u:p@h/d",
    "DB_PASSWORD": "p",
    "BAKEOFF_API_TOKEN": "t",
    "AWS_SECRET_ACCESS_KEY": "k",
    "SSH_AUTH_SOCK": "/agent",
}
RUN = RunTable(command=["true"], port_variable="SERVER_PORT", default_port=1, inherits=["FEATURE"])
SETTINGS = {"pool_size": DeclaredSetting("DB_POOL_SIZE", "10")}


def test_only_what_is_needed_or_named_is_inherited() -> None:
    needed = {"PATH": "/bin", "HOME": "/root", "LANG": "C", "LC_ALL": "C", "TZ": "UTC", "JAVA_HOME": "/jdk"}
    named = {"FEATURE": "on", "DB_POOL_SIZE": "4"}
    one = target("one", run=RUN, settings=SETTINGS)
    assert inherited_by(one, {**needed, **named, **SECRETS, "DATABASE_URL": "not the run's"}) == {**needed, **named}


class _Healthy:
    """Takes the target for healthy once it has written its environment."""

    def __init__(self, is_written: Callable[[], bool]) -> None:
        self._is_written = is_written

    def answer(self, _access: object) -> Answer:
        return Answer(is_healthy=self._is_written())


def test_a_process_sees_no_secret_of_the_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DB_POOL_SIZE", "4")
    script, log = tmp_path / "service.py", tmp_path / "log"
    script.write_text("import os, signal\nprint(sorted(os.environ.items()), flush=True)\nsignal.pause()\n")
    build = Build("t", tmp_path, ("true",), (), script, tmp_path, tmp_path / "stamp", tmp_path / "build.log")
    run = msgspec.structs.replace(RUN, command=[sys.executable, "{artifact}"])
    started = replace(target("t", run=run, settings=SETTINGS), directory=tmp_path, build=build)
    with TargetProcess(started, None, _Healthy(lambda: "]" in log.read_text()), log):
        seen = log.read_text()
    assert "('DB_POOL_SIZE', '4')" in seen
    assert "SERVER_PORT" in seen
    assert not [name for name in SECRETS if name in seen]
