"""Which locks commands hold, and for how long."""

import os
from pathlib import Path
from typing import Any

import pytest

from bakeoff.checks import queue
from bakeoff.cli import test
from bakeoff.cli.run import compare as run
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.running import lock


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A checkout with its own machine, which has no checks."""
    monkeypatch.setenv(lock.MACHINE_LOCK_VARIABLE, str(tmp_path / "machine.lock"))
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci" / "checks.toml").write_text("checks = []\ntoolchains = {}\n")
    return Project(tmp_path)


def is_measuring_elsewhere_refused(project: Project) -> bool:
    """Whether a lab of another process is refused: what this process holds it may take again."""
    child = os.fork()
    if child == 0:
        lock._held_here.clear()
        try:
            with lock.measuring_lab(project):
                os._exit(0)
        except BakeoffError:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_a_search_holds_the_lock_from_its_first_trial_to_its_last(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = []

    def search(*_: object) -> list[Any]:
        refused.append(is_measuring_elsewhere_refused(project))
        return []

    monkeypatch.setattr(run, "find_capacities", search)
    options: Any = type(
        "Options", (), {"command": "", "invocation": type("I", (), {"slo": "p99<50ms", "as_json": False})}
    )
    request: Any = type("Request", (), {"mode": "rate"})
    run._search(project, request, options)
    assert refused == [True]
    assert not is_measuring_elsewhere_refused(project)


def test_nothing_is_measured_while_tests_run(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = []

    def outcomes(*_: object) -> list[Any]:
        refused.append(is_measuring_elsewhere_refused(project))
        return []

    monkeypatch.setattr(test, "own_checkout", lambda: project)
    monkeypatch.setattr(queue, "outcomes_of", outcomes)
    test.test()
    assert refused == [True]
    with lock.measuring_lab(project), pytest.MonkeyPatch.context() as patch:
        patch.setattr(lock, "_held_here", {})
        with pytest.raises(BakeoffError, match="running on this machine"):
            test.test()
