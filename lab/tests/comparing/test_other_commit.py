"""Two commits side by side: the other's files, its targets, and what each contender is called."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.builds.sources import git_files
from bakeoff.comparing.other_commit import checked_out, full_name, uncommitted, with_commit
from bakeoff.errors import BakeoffError, NothingToCompareError, UsageError
from bakeoff.git import leave_hook
from bakeoff.history.run_references import commit_of
from bakeoff.options.table import DOCKER
from bakeoff.options.variant import Variant, short
from bakeoff.project import PROJECT_FILE, Project
from bakeoff.running.contender import Contender
from bakeoff.running.environment import environment_of
from bakeoff.targets.manifest import find_targets
from made_up_manifests import engine, workload

TARGET = "intake-rest"


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(project: Project, empty_checkout: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A checkout of two commits: the first has one target, the second has another too."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
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


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("0" * 40, "the branch is new"),
        ("HEAD~2", "HEAD does not have so many before it"),
        ("before^", "before does not have so many before it"),
    ],
)
def test_before_the_first_commit_there_is_nothing_to_compare_with(
    checkout: Project, reference: str, words: str
) -> None:
    with pytest.raises(NothingToCompareError, match=words):
        full_name(checkout, reference)


def test_an_ancestor_of_an_unknown_name_is_a_mistake(checkout: Project) -> None:
    with pytest.raises(UsageError, match="no commit here"):
        full_name(checkout, "nowhere~1")


def test_a_shallow_clone_may_have_more_commits_elsewhere(checkout: Project, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{checkout.root}", "shallow")
    with pytest.raises(UsageError, match="fetch-depth: 0"):
        full_name(Project(tmp_path / "shallow"), "HEAD~1")


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


def test_in_containers_each_side_has_an_image_of_its_own(checkout: Project) -> None:
    in_docker = Variant(runs_in=DOCKER)

    def sides(against: str) -> tuple[list[Contender], dict[str, str]]:
        skipped: dict[str, str] = {}
        chosen = [replace(each, variant=in_docker) for each in contenders(checkout) if each.target.image is not None]
        return with_commit(checkout, full_name(checkout, against), chosen, skipped.__setitem__), skipped

    manifest = checkout.root / "targets" / "one" / "target.toml"
    text = manifest.read_text("utf-8")
    manifest.write_text(text + '\n[image]\ndockerfile = "Dockerfile"\n', "utf-8")
    git(checkout.root, "add", "-A")
    git(checkout.root, "commit", "-qm", "An image")
    with pytest.raises(NothingToCompareError, match=r"none of the targets with an \[image\]"):
        sides("before")
    both, skipped = sides("HEAD")
    images = [each.target.contained.build for each in both]
    commit = short(full_name(checkout, "HEAD"))
    assert [each.name for each in images] == [f"image {TARGET}@{commit}", f"image {TARGET}"]
    assert images[0].artifact.name != images[1].artifact.name == f"{TARGET}@candidate.id"
    assert images[0].directory != images[1].directory and len(images[0].marks) == 2
    assert images[0].marks == images[1].marks and skipped == {}


def test_a_hook_of_git_names_neither_the_repository_nor_the_index(
    checkout: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = full_name(checkout, "before")
    (checkout.root / "staged").touch()
    git(checkout.root, "add", "-A")
    status = git(checkout.root, "status", "--porcelain")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git(elsewhere, "init", "-q")
    with monkeypatch.context() as hook:
        hook.setenv("GIT_INDEX_FILE", str(checkout.root / ".git" / "index"))
        leave_hook()
        other = checked_out(checkout, commit)
        assert not (other.root / "staged").exists()
    assert git(checkout.root, "status", "--porcelain") == status
    with monkeypatch.context() as hook:
        hook.setenv("GIT_DIR", str(elsewhere / ".git"))
        hook.setenv("GIT_WORK_TREE", str(elsewhere))
        leave_hook()
        assert full_name(checkout, "before") == commit
        assert commit_of(checkout, "before") == commit
        assert Project(checkout.root).repository == checkout.root
        assert checkout.root / "staged" in set(git_files(checkout.root))
        targets = (each.target for each in contenders(checkout))
        recorded = [environment_of(target, None).get("commit") for target in targets]
    assert recorded == [git(checkout.root, "rev-parse", "HEAD")] * 2


def test_settings_for_one_command_of_git_are_kept(checkout: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "status.showUntrackedFiles")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "no")
    (checkout.root / "one").touch()
    assert uncommitted(checkout) is None


def test_worktrees_of_the_user_stay_known(checkout: Project, tmp_path: Path) -> None:
    """Their folders may lie on a disk that is not mounted."""
    git(checkout.root, "worktree", "add", "--detach", str(tmp_path / "unmounted"))
    shutil.rmtree(tmp_path / "unmounted")
    commits = [full_name(checkout, "HEAD")]
    for number in range(3):
        git(checkout.root, "commit", "-q", "--allow-empty", "-m", str(number))
        commits.append(full_name(checkout, "HEAD"))
    for commit in commits:
        checked_out(checkout, commit)
    known = git(checkout.root, "worktree", "list", "--porcelain").splitlines()
    names = {Path(line).name for line in known if line.startswith("worktree ")}
    assert names == {checkout.root.name, "unmounted", *(short(commit) for commit in commits[-3:])}


def test_only_the_newest_commits_keep_their_builds(checkout: Project) -> None:
    commits = [full_name(checkout, "before")]
    for number in range(4):
        git(checkout.root, "commit", "-q", "--allow-empty", "-m", str(number))
        commits.append(full_name(checkout, "HEAD"))
    for commit in commits:
        checked_out(checkout, commit)
    kept = sorted(path.name for path in checkout.commits.iterdir() if path.is_dir())
    assert kept == sorted(short(commit) for commit in commits[-3:])


def test_a_build_that_searches_upwards_finds_no_file_of_the_candidate(checkout: Project) -> None:
    look = 'import pathlib, sys; sys.exit(any((each / "node_modules").exists() for each in pathlib.Path.cwd().parents))'
    (checkout.root / "targets" / "one" / "look.py").write_text(look)
    build = 'build = { command = ["python3", "look.py"], artifact = "look.py" }'
    text = f'[targets.here]\nrun = "true"\nworkload = "events"\ndirectory = "targets/one"\n{build}\n'
    (checkout.root / PROJECT_FILE).write_text(text, "utf-8")
    git(checkout.root, "add", "-A")
    git(checkout.root, "commit", "-qm", "Three")
    (checkout.root / "node_modules").mkdir()
    commit = full_name(checkout, "HEAD")
    before, after = with_commit(checkout, commit, contenders(checkout), lambda *_: None)
    before.target.build.run(on_line=lambda _: None)
    with pytest.raises(BakeoffError, match="ended with status 1"):
        after.target.build.run(on_line=lambda _: None)


def test_both_sides_warm_up_for_as_long_as_the_checkout_states(checkout: Project) -> None:
    file = checkout.root / "targets" / "one" / "target.toml"
    file.write_text(f"warm_up_s = 75\n{file.read_text('utf-8')}", "utf-8")
    sides = with_commit(checkout, full_name(checkout, "before"), contenders(checkout), lambda *_: None)
    assert [each.target.manifest.warm_up_s for each in sides] == [75, 75]


def test_a_cache_in_the_repository_or_that_cannot_be_written_is_refused(
    checkout: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(checkout.root / ".cache"))
    with pytest.raises(BakeoffError, match=r"lies in the repository itself.* XDG_CACHE_HOME name a folder outside"):
        checked_out(checkout, full_name(checkout, "HEAD"))
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(BakeoffError, match="cannot be written: Not a directory"):
        checked_out(checkout, full_name(checkout, "HEAD"))


def test_commits_of_a_deleted_project_are_removed(checkout: Project, tmp_path: Path) -> None:
    copy = Project(tmp_path / "copy")
    shutil.copytree(checkout.root, copy.root)
    commit = full_name(checkout, "HEAD")
    others = [checked_out(each, commit).root for each in (checkout, copy)]
    shutil.rmtree(copy.root)
    checked_out(checkout, commit)
    assert [each.exists() for each in others] == [True, False]


def test_each_contender_takes_part_twice(checkout: Project) -> None:
    skipped: dict[str, str] = {}
    commit = full_name(checkout, "before")
    before, after = with_commit(checkout, commit, contenders(checkout), skipped.__setitem__)
    assert (before.key, after.key) == (f"{TARGET} commit={short(commit)}", f"{TARGET} commit=candidate")
    # Each is built in its own files, by separate builds; the contract is one.
    assert before.target.directory.is_relative_to(checkout.commits / short(commit))
    assert before.target.build.artifact != after.target.build.artifact
    assert before.target.build.name != after.target.build.name
    assert before.workload is after.workload
    assert "no such target" in skipped[f"new commit={short(commit)}"]
    # Each run's record names the commit that was measured.
    recorded = [environment_of(side.target, None)["commit"] for side in (before, after)]
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


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        ("rm -rf .git", r"git finds no repository at .* Put the project under git"),
        (
            "git rev-parse HEAD > .git/shallow",
            "--unshallow",
        ),
    ],
)
def test_a_reference_that_git_does_not_know_names_the_next_step(checkout: Project, prepare: str, words: str) -> None:
    subprocess.run(["/bin/sh", "-ec", prepare], cwd=checkout.root, check=True, capture_output=True)
    with pytest.raises(UsageError, match=words):
        full_name(checkout, "HEAD~5")


def test_without_git_only_the_other_commit_is_refused(checkout: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BakeoffError, match="--against needs git, which is not on PATH"):
        full_name(checkout, "HEAD")
    assert Project(checkout.root).repository == checkout.root


def test_changes_that_no_commit_has_are_reported(checkout: Project) -> None:
    assert uncommitted(checkout) is None
    (checkout.root / "one").touch()
    assert (
        uncommitted(checkout)
        == "The candidate is the checkout as it is, with 1 uncommitted change (git status lists them)."
    )


def test_a_commit_without_the_project_names_the_commit_that_added_it(checkout: Project) -> None:
    git(checkout.root, "mv", PROJECT_FILE, "targets")
    git(checkout.root, "commit", "-qm", "Away")
    away = full_name(checkout, "HEAD")
    git(checkout.root, "revert", "--no-edit", "HEAD")
    added = git(checkout.root, "rev-parse", "--short", "HEAD")
    with pytest.raises(BakeoffError, match=rf"has no bakeoff.toml.* There it is targets/bakeoff.toml. Name {added}"):
        checked_out(checkout, away)
    (checkout.root / "new").mkdir()
    new = Project(checkout.root / "new")
    new.file.touch()
    with pytest.raises(BakeoffError, match=r"has no new/bakeoff.toml.*Commit new/bakeoff.toml first"):
        checked_out(new, away)


def test_a_worktree_that_was_interrupted_is_made_again(checkout: Project) -> None:
    commit = full_name(checkout, "before")
    other = checked_out(checkout, commit)
    shutil.rmtree(other.state)
    shutil.rmtree(other.root / "targets")
    git(checkout.root, "worktree", "lock", "--reason", "initializing", str(other.root))
    assert (checked_out(checkout, commit).root / "targets" / "one").is_dir()


def test_a_project_below_its_repository_in_a_path_of_any_letters(checkout: Project, tmp_path: Path) -> None:
    repository = tmp_path / "größe 東" / "a repository"
    shutil.copytree(checkout.root, repository / "perf tests", ignore=shutil.ignore_patterns(".git"))
    git(repository, "init", "-q")
    git(repository, "add", "perf tests/bakeoff.toml")
    git(repository, "commit", "-qm", "One")
    below = Project(repository / "perf tests")
    commit = full_name(below, "HEAD")
    # A file that is a link is the project of the folder it lies in.
    below.file.rename(tmp_path / PROJECT_FILE)
    below.file.symlink_to(tmp_path / PROJECT_FILE)
    other = checked_out(below, commit)
    assert other.root.name == "perf tests" and other.file.is_file()


def test_submodules_are_checked_out(checkout: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = tmp_path / "service"
    service.mkdir()
    git(service, "init", "-q")
    (service / "service.py").touch()
    git(service, "add", "-A")
    git(service, "commit", "-qm", "One")
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file")
    git(checkout.root, "submodule", "add", service.as_uri(), "service")
    git(checkout.root, "commit", "-qm", "Three")
    commit = full_name(checkout, "HEAD")
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "https")
    with pytest.raises(BakeoffError, match=r"could not check out .* transport 'file' not allowed"):
        checked_out(checkout, commit)
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file")
    other = checked_out(checkout, commit).root / "service" / "service.py"
    assert other.exists(), "nothing half-made is used again"
    assert other in set(git_files(other.parents[1])), "what a submodule has is a part of what git tracks"


def test_a_target_outside_of_the_repository_is_refused(checkout: Project, tmp_path: Path) -> None:
    manifest = checkout.root / "targets" / "one" / "target.toml"
    text = manifest.read_text("utf-8")
    commit = full_name(checkout, "before")
    for directory in (tmp_path, checkout.root / "targets" / "one"):
        manifest.write_text(f'directory = "{directory}"\n{text}', "utf-8")
        if directory != tmp_path:
            git(checkout.root, "commit", "-qam", "An absolute directory")
            commit = full_name(checkout, "HEAD")
        with pytest.raises(UsageError, match=f"{TARGET} lies outside of it, in {directory}"):
            with_commit(checkout, commit, contenders(checkout), lambda *_: None)


def test_a_target_outside_of_the_repository_leaves_the_others_comparable(checkout: Project, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    outside = os.path.relpath(tmp_path / "outside", checkout.root / "targets" / "two")
    manifest = checkout.root / "targets" / "two" / "target.toml"
    manifest.write_text(f'directory = "{outside}"\n{manifest.read_text("utf-8")}', "utf-8")
    git(checkout.root, "commit", "-qam", "A relative directory")
    inside = [each for each in contenders(checkout) if each.target.name == TARGET]
    keys = [each.key for each in with_commit(checkout, full_name(checkout, "HEAD"), inside, lambda *_: None)]
    assert len(keys) == 2


def test_a_target_without_declared_inputs_is_what_git_tracks_of_each_commit(checkout: Project) -> None:
    folder = checkout.root / "targets" / "one"
    text = '[targets.here]\nrun = "true"\nworkload = "events"\ndirectory = "targets/one"\n'
    (checkout.root / PROJECT_FILE).write_text(text, "utf-8")
    (folder / "service.py").write_text("1")
    git(checkout.root, "add", "-A")
    git(checkout.root, "commit", "-qm", "Three")
    commit = full_name(checkout, "HEAD")
    before, after = with_commit(checkout, commit, contenders(checkout), lambda *_: None)
    assert before.target.build.fingerprint() == after.target.build.fingerprint()
    (folder / "untracked").touch()
    assert before.target.build.fingerprint() == after.target.build.fingerprint()
    (folder / "service.py").write_text("2")
    assert before.target.build.artifact_sha256 != after.target.build.artifact_sha256
