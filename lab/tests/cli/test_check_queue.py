"""Which checks run side by side, and that a required toolchain cannot be skipped."""

import threading
import time

import pytest

from bakeoff.cli.check_queue import outcomes_of
from bakeoff.cli.checks import Check, Outcome, check_toolchains, load_checks, run
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import Project


class Bed:
    """Runs checks that take a moment, and notes which ran beside which."""

    def __init__(self) -> None:
        self.met: set[tuple[str, str]] = set()
        self._running: set[str] = set()
        self._lock = threading.Lock()

    def run(self, check: Check) -> Outcome:
        with self._lock:
            self.met |= {(other, check.name) for other in self._running}
            self._running.add(check.name)
        time.sleep(0.05)
        with self._lock:
            self._running.remove(check.name)
        return Outcome(check, "passed")


def check(name: str, directory: str, *, alone: bool = False) -> Check:
    return Check(name, directory, ("true",), alone=alone)


def test_checks_of_different_directories_run_side_by_side() -> None:
    bed = Bed()
    checks = [check("a1", "a"), check("a2", "a"), check("b1", "b"), check("all", "a", alone=True), check("b2", "b")]
    outcomes = list(outcomes_of(checks, bed.run))
    assert {outcome.check.name for outcome in outcomes} == {"a1", "a2", "b1", "all", "b2"}
    assert ("a1", "b1") in bed.met
    assert not {("a1", "a2"), ("a2", "a1"), ("b1", "b2")} & bed.met
    assert not any("all" in pair for pair in bed.met)
    assert [outcome.check.name for outcome in outcomes][-2:] == ["all", "b2"]


def test_a_missing_program_skips_and_a_required_one_fails(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = Check("go", ".", ("true",), needs=("no-such-program",))
    assert run(project, missing, None).status == "skipped"
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BakeoffError, match="--require rust: cargo, cc not found"):
        check_toolchains(project, ["rust"])
    with pytest.raises(UsageError, match='no toolchain "cobol"'):
        check_toolchains(project, ["cobol"])


@pytest.mark.parametrize(("exhaustive", "printed"), [(False, "often rare"), (True, "often")])
def test_the_exhaustive_part_is_left_out_unless_asked_for(project: Project, *, exhaustive: bool, printed: str) -> None:
    checked = Check("some", ".", ("echo", "often"), usual=("rare",))
    assert run(project, checked, None, exhaustive=exhaustive).lines == (printed,)


def test_what_the_checks_need_belongs_to_a_toolchain(project: Project) -> None:
    checks = load_checks(project)
    assert {"pytest", "build", "go test"} <= {each.name for each in checks}
    for each in checks:
        assert (project.root / each.directory).is_dir(), each.name
