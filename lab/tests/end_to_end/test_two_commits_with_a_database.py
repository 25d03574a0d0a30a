"""Two commits of a service that stores in PostgreSQL: they take turns, and more statements are named as the reason."""

import io
import shutil
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing import cpu_profiles
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.cpu_profiles import profile_both, slower_pairs
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.statement_counts import StatementChange, more_statements
from bakeoff.options.variant import CANDIDATE, COMMIT, short
from bakeoff.project import Project, prepare_state
from bakeoff.results.run import RunResult, Status
from bakeoff.running.isolation import pinned_to, usable_cpus
from shelf import add_shelf, postgresql

pytestmark = pytest.mark.end_to_end

READ = '        rows = self.store.run("SELECT id, title FROM books WHERE id = ?", number)\n'
# As code that follows a relation row by row, over a page of a list that has three rows before the load.
ROW_BY_ROW = """        for each in self.store.run("SELECT id FROM books LIMIT 20"):
            self.store.run("SELECT 1 FROM books WHERE id = ?", *each)
"""
CREATE = '        ((number,),) = self.store.run("INSERT INTO'


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def changed(measuring_checkout: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A shelf at one commit that reads row by row in the working tree."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = measuring_checkout.root
    prepare_state(measuring_checkout)
    add_shelf(measuring_checkout, postgresql())
    (root / ".gitignore").write_text(".bakeoff\n", "utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "A shelf")
    api = root / "targets" / "shelf" / "shelf_api.py"
    text = api.read_text("utf-8")
    assert READ in text
    api.write_text(text.replace(READ, ROW_BY_ROW + READ), "utf-8")
    return measuring_checkout


@pytest.fixture
def request_of_both(changed: Project) -> ComparisonRequest:
    against = git(changed.root, "rev-parse", "HEAD")
    return ComparisonRequest("quick", "a test", against=against, users=[2], phase_duration_s=2.0, warm_up_s=0, rounds=1)


def test_both_commits_take_turns(changed: Project, request_of_both: ComparisonRequest) -> None:
    comparison = compare(changed, request_of_both, PlainProgress(Console(quiet=True)))
    assert comparison.not_measured == {}
    one, other = comparison.runs
    assert (one.status, other.status) == (Status.COMPLETED, Status.COMPLETED)
    assert took_turns(one, other)


def test_on_one_core_they_take_turns_too(changed: Project, request_of_both: ComparisonRequest) -> None:
    with pinned_to((min(usable_cpus()),)):
        comparison = compare(changed, request_of_both, PlainProgress(Console(quiet=True)))
    assert comparison.not_measured == {}
    assert [(run.status, run.environment["cores"]) for run in comparison.runs] == [(Status.COMPLETED, "1")] * 2
    assert took_turns(*comparison.runs)


@pytest.mark.parametrize("failing", ["base", "candidate"])
def test_a_side_that_does_not_migrate_is_refused_and_the_base_is_not_measured_alone(
    changed: Project, failing: str
) -> None:
    for side in ("base", "candidate"):
        add_shelf(changed, postgresql(), fault="failing-migration" if side == failing else "")
        git(changed.root, "commit", "--allow-empty", "-qam", side)
    against = git(changed.root, "rev-parse", "HEAD~1")
    request = ComparisonRequest("quick", "a test", against=against, users=[2], phase_duration_s=1.0, warm_up_s=0)
    comparison = compare(changed, request, PlainProgress(Console(quiet=True)))
    level = short(against) if failing == "base" else CANDIDATE
    ((key, reason),) = comparison.not_measured.items()
    assert (key, comparison.refused) == (f"shelf-rest commit={level}", {key})
    assert reason.startswith(f"{key}: prepare failed with status 1. ") and "0002_authors" in reason
    # The log of one side does not hide that of the other.
    assert (str(changed.commits) in reason) == (failing == "base")
    assert [run.factors[COMMIT] for run in comparison.runs] == ([CANDIDATE] if failing == "base" else [])


def test_more_statements_are_counted(changed: Project, request_of_both: ComparisonRequest) -> None:
    slower = {"shelf-rest": ["Create", "Read"]}
    changes = more_statements(changed, request_of_both, slower, PlainProgress(Console(quiet=True)))
    assert changes == [StatementChange("Read", 1, 22)]
    assert changes[0].words == "Read sends 22 statements to PostgreSQL instead of 1."


def test_an_operation_that_fails_is_not_counted_which_is_said(
    changed: Project, request_of_both: ComparisonRequest
) -> None:
    api = changed.root / "targets" / "shelf" / "shelf_api.py"
    text = api.read_text("utf-8")
    assert CREATE in text
    twice = text.replace(CREATE, '        self.store.run("SELECT 1")\n' + CREATE)
    api.write_text(twice.replace(READ, READ + "        rows = []\n"), "utf-8")
    said = io.StringIO()
    progress = PlainProgress(Console(file=said, width=1000))
    changes = more_statements(changed, request_of_both, {"shelf-rest": ["Create", "Read"]}, progress)
    assert changes == [StatementChange("Create", 1, 2)]
    assert said.getvalue().count("Statements were not counted. shelf-rest: Read") == 1, said.getvalue()


@pytest.mark.skipif(shutil.which("py-spy") is None, reason="py-spy is not on PATH")
def test_both_sides_are_profiled(
    changed: Project, request_of_both: ComparisonRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu_profiles, "_WARM_S", 0.0)
    monkeypatch.setattr(cpu_profiles, "_SAMPLED_S", 3.0)
    progress = PlainProgress(Console(quiet=True))
    (pair,) = slower_pairs(changed, request_of_both, ["shelf-rest"])
    profile = profile_both(changed, request_of_both, pair, progress)
    assert profile.target == "shelf-rest"
    assert "(shelf_api.py): " in profile.flame_graph
    assert profile.grown and profile.words.startswith("CPU of shelf-rest against shelf-rest commit=")


def took_turns(one: RunResult, other: RunResult) -> bool:
    """Whether each went on while the other was measured."""
    assert one.total is not None and other.total is not None
    together = min(one.finished_at, other.finished_at) - max(one.started_at, other.started_at)
    return together.total_seconds() > one.total.duration_s + other.total.duration_s
