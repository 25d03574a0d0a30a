"""Which checks run side by side, and that a required toolchain cannot be skipped."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bakeoff.checks.checks import CheckOutcome, ProjectCheck, affected, check_toolchains, load_checks, of_part, run
from bakeoff.checks.queue import outcomes_of
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import Project


class Bed:
    """Notes which checks ran at the same time. Those named `together` end only when all of them run."""

    def __init__(self, *together: str) -> None:
        self._together = together
        self._all_run = threading.Barrier(max(1, len(together)))
        self.met: set[tuple[str, str]] = set()
        self._running: set[str] = set()
        self._lock = threading.Lock()

    def run(self, check: ProjectCheck) -> CheckOutcome:
        with self._lock:
            self.met |= {(other, check.name) for other in self._running}
            self._running.add(check.name)
        if check.name in self._together:
            self._all_run.wait(timeout=60)
        with self._lock:
            self._running.remove(check.name)
        return CheckOutcome(check, "passed")


def check(name: str, directory: str, *after: str) -> ProjectCheck:
    return ProjectCheck(name, directory, ("true",), after=after)


def test_checks_of_different_directories_run_side_by_side() -> None:
    bed = Bed("a1", "b1")
    checks = [check("a1", "a"), check("a2", "a"), check("b1", "b"), check("last", "c", "b1", "b2"), check("b2", "b")]
    outcomes = list(outcomes_of(checks, bed.run))
    assert {outcome.check.name for outcome in outcomes} == {"a1", "a2", "b1", "last", "b2"}
    assert {("a1", "b1"), ("b1", "a1")} & bed.met
    assert (
        not {("a1", "a2"), ("a2", "a1"), ("b1", "b2"), ("b2", "b1"), ("b2", "last"), ("last", "b2"), ("b1", "last")}
        & bed.met
    )
    waited = {outcome.check.name: outcome.waited_for for outcome in outcomes}
    assert (waited["a1"], waited["a2"], waited["last"]) == ("", "a1", "b2")


def test_changed_files_choose_the_checks_whose_inputs_they_are(clone: Project, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    checkout = Project(tmp_path)
    for name in (".ci/checks.toml", "lab/a", "lab2/b", "docs/c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((clone.root / ".ci/checks.toml").read_bytes() if name[0] == "." else b"")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "base")
    checks = [
        ProjectCheck("lab", ".", ("true",), inputs=("lab",)),
        ProjectCheck("docs", ".", ("true",), inputs=("docs",)),
    ]

    assert affected(checkout, checks, "HEAD") == []
    (tmp_path / "lab2" / "b").write_text("no input")
    (tmp_path / "lab" / "new").write_text("not yet known to git")
    assert [each.name for each in affected(checkout, checks, "HEAD")] == ["lab"]
    git("add", ".")
    git("commit", "-qm", "next")
    assert [each.name for each in affected(checkout, checks, "HEAD~1")] == ["lab"]
    (tmp_path / ".ci" / "run").write_text("changes every check")
    assert [each.name for each in affected(checkout, checks, "HEAD")] == ["lab", "docs"]
    with pytest.raises(UsageError, match=r"--changed: .*nowhere"):
        affected(checkout, checks, "nowhere")


def test_a_missing_program_skips_and_a_required_one_fails(clone: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = ProjectCheck("go", ".", ("true",), needs=("no-such-program",))
    assert run(clone, missing, None).status == "skipped"
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BakeoffError, match="--require rust: cargo, cc, clippy-driver not found"):
        check_toolchains(clone, ["rust"])
    with pytest.raises(UsageError, match='no toolchain "cobol"'):
        check_toolchains(clone, ["cobol"])


def test_what_a_check_starts_counts_as_its_cpu_time(clone: Project) -> None:
    script = "import resource\nwhile resource.getrusage(resource.RUSAGE_SELF).ru_utime < 0.2: pass"
    waited = ProjectCheck("some", ".", ("sh", "-c", f"'{sys.executable}' -c '{script}'; exit 3"))
    outcome = run(clone, waited, None)
    assert (outcome.status, outcome.cpu_s >= 0.2) == ("failed", True)


@pytest.mark.parametrize(("exhaustive", "printed"), [(False, "often rare"), (True, "often")])
def test_the_exhaustive_part_is_left_out_unless_asked_for(clone: Project, *, exhaustive: bool, printed: str) -> None:
    checked = ProjectCheck("some", ".", ("echo", "often"), usual=("rare",))
    assert run(clone, checked, None, exhaustive=exhaustive).lines == (printed,)


def test_what_the_checks_need_belongs_to_a_toolchain(clone: Project, gallery: Project) -> None:
    checks = load_checks(clone)
    assert {"pytest", "build", "go test"} <= {each.name for each in checks}
    for each in checks:
        assert (clone.root / each.directory).is_dir(), each.name
        assert each.inputs, each.name
        assert all((clone.root / path).exists() for path in each.inputs), each.name


def test_each_part_runs_its_own_checks_and_its_share_of_what_checks_both(clone: Project) -> None:
    checks = load_checks(clone)
    tool, gallery = of_part(checks, "tool"), of_part(checks, "gallery")
    both = {each.name for each in tool} & {each.name for each in gallery}
    assert {each.name for each in tool} | {each.name for each in gallery} == {each.name for each in checks}
    assert both == {"pytest end-to-end", "pytest"}
    assert all(any(path.startswith("gallery") for path in (each.directory, *each.inputs)) for each in gallery)
    # A clone without the gallery runs them too.
    assert [each.name for each in tool if "gallery/" in " ".join((each.directory, *each.command))] == []
    of_one = {each.name: each for each in of_part(checks, "gallery", "go-rest")}
    (tests,) = (of_one[name] for name in both if name in of_one)
    assert tests.usual[-4:] == ("-m", "end_to_end and not exhaustive and gallery", "-k", "go-rest")
    assert of_one["build"].targets == "*go-rest*"


def test_tests_of_rust_targets_do_not_replace_what_runs_meanwhile(clone: Project) -> None:
    tests = [
        each.command
        for each in load_checks(clone)
        if each.directory == "gallery/targets" and "cargo test" in each.command[-1]
    ]
    assert tests
    assert all({"CARGO_BUILD_BUILD_DIR=target", "CARGO_TARGET_DIR=target/tests"} <= set(command) for command in tests)


def test_a_command_names_the_targets_of_its_part(clone: Project) -> None:
    of_all = ProjectCheck("some", ".", ("echo", "{targets}"), part="gallery")
    commands = [of_all, *of_part([of_all], "gallery"), *of_part([of_all], "gallery", "go-rest")]
    assert [run(clone, each, None).lines for each in commands] == [("*",), ("*",), ("*go-rest*",)]
