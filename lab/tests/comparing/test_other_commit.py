"""Two commits side by side: the other's files, its targets, and what each contender is called."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bakeoff.comparing.other_commit import checked_out, full_name, with_commit
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.variant import short
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.running.environment import environment_of
from bakeoff.targets.manifest import find_targets
from made_up_manifests import engine, workload

TARGET = "producer-api-go-rest"


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(project: Project, empty_checkout: Project) -> Project:
    """A checkout of two commits: the first has one target, the second has another too."""
    root = empty_checkout.root
    (manifest,) = (target.directory for target in find_targets(project) if target.name == TARGET)
    (root / ".gitignore").write_text(".bakeoff/\n")
    (root / "targets" / "one").mkdir(parents=True)
    shutil.copy(manifest / "target.toml", root / "targets" / "one")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "One")
    git(root, "tag", "before")
    (root / "targets" / "two").mkdir()
    text = (manifest / "target.toml").read_text("utf-8").replace(f'"{TARGET}"', '"new"', 1)
    (root / "targets" / "two" / "target.toml").write_text(text, "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Two")
    return empty_checkout


def contenders(project: Project) -> list[Contender]:
    return [Contender(target, workload(), engine("native")) for target in find_targets(project)]


def test_a_reference_is_its_commit(checkout: Project) -> None:
    assert full_name(checkout, "before") == git(checkout.root, "rev-parse", "before")
    with pytest.raises(UsageError, match="no commit here"):
        full_name(checkout, "nowhere")


def test_the_files_of_a_commit_lie_beside_the_checkouts(checkout: Project) -> None:
    commit = full_name(checkout, "before")
    other = checked_out(checkout, commit)
    assert git(other.root, "rev-parse", "HEAD") == commit
    assert not (other.root / "targets" / "two").exists()
    (other.root / "built").touch()
    assert (checked_out(checkout, commit).root / "built").exists(), "what was built is used again"
    # A folder that was deleted is made again.
    shutil.rmtree(other.root)
    assert (checked_out(checkout, commit).root / "targets" / "one").is_dir()


def test_only_the_newest_commits_keep_their_builds(checkout: Project) -> None:
    commits = [full_name(checkout, "before")]
    for number in range(4):
        git(checkout.root, "commit", "-q", "--allow-empty", "-m", str(number))
        commits.append(full_name(checkout, "HEAD"))
    for commit in commits:
        checked_out(checkout, commit)
    kept = sorted(path.name for path in (checkout.state / "commits").iterdir())
    assert kept == sorted(short(commit) for commit in commits[-3:])


def test_each_contender_takes_part_twice(checkout: Project) -> None:
    skipped: dict[str, str] = {}
    commit = full_name(checkout, "before")
    before, after = with_commit(checkout, commit, contenders(checkout), skipped.__setitem__)
    assert (before.key, after.key) == (f"{TARGET} commit={short(commit)}", f"{TARGET} commit=candidate")
    # Each is built in its own files, by separate builds; the contract is one.
    assert before.target.directory.is_relative_to(checkout.state / "commits" / short(commit))
    assert before.target.build.artifact != after.target.build.artifact
    assert before.target.build.name != after.target.build.name
    assert before.workload is after.workload
    assert "no such target" in skipped[f"new commit={short(commit)}"]
    # Each run's record names the commit that was measured.
    recorded = [environment_of(checkout, side.target, None)["commit"] for side in (before, after)]
    assert recorded == [commit, git(checkout.root, "rev-parse", "HEAD")]


def test_the_same_commit_may_stand_on_both_sides(checkout: Project) -> None:
    commit = full_name(checkout, "HEAD")
    keys = [each.key for each in with_commit(checkout, commit, contenders(checkout), lambda *_: None)]
    assert len(set(keys)) == 4


def test_a_commit_whose_manifests_this_lab_cannot_read_is_refused(checkout: Project) -> None:
    manifest = checkout.root / "targets" / "one" / "target.toml"
    manifest.write_text("unknown = 1\n" + manifest.read_text("utf-8"), "utf-8")
    git(checkout.root, "commit", "-qam", "Broken")
    commit = full_name(checkout, "HEAD")
    git(checkout.root, "revert", "--no-edit", "HEAD")
    with pytest.raises(BakeoffError, match="cannot be measured by this lab"):
        with_commit(checkout, commit, contenders(checkout), lambda *_: None)
