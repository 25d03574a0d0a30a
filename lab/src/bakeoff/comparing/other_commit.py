"""Another commit beside the checkout: its files in a git worktree, and its targets as separate contenders."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from bakeoff.builds.build import image_of
from bakeoff.comparing.new_operations import is_other_commit
from bakeoff.containers.removal import image_labels
from bakeoff.errors import BakeoffError, NothingToCompareError, UsageError
from bakeoff.git import git
from bakeoff.options.table import DOCKER
from bakeoff.options.variant import CANDIDATE, COMMIT, short
from bakeoff.project import IGNORE_FILE, PROJECT_FILE, Project, prepare_state
from bakeoff.running.contender import Contender
from bakeoff.targets.manifest import Target, find_targets

# Each holds a whole build: the newest are kept, so that the next comparison need not compile all again.
_KEPT = 3
# The file beside them that names their project.
_PROJECT = "project"
# A submodule may come from a server.
_GIT_TIMEOUT_S = 600
# A worktree that git still knows though its folder was removed; twice, as git locks one while it makes it.
# Not `git worktree prune`: it would forget the user's own on a disk that is not mounted.
_FORCE = ("--force", "--force")
# As in HEAD~2 and main^.
_ANCESTORS = re.compile(r"([~^]\d*)+$")


def full_name(project: Project, reference: str) -> str:
    """The commit that a reference means. Raises UsageError where it means none, and NothingToCompareError where there
    is no earlier commit.
    """
    commit = _commit(project, reference)
    if commit is None:
        raise _unknown(project, reference)
    return commit


def _commit(project: Project, reference: str) -> str | None:
    found = _git(project.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    return found.stdout.strip() if found.returncode == 0 else None


def _unknown(project: Project, reference: str) -> BakeoffError:
    """Why git does not know a reference, and the next step."""
    shallow = _git(project.root, "rev-parse", "--is-shallow-repository")
    if shallow.returncode != 0:
        return UsageError(
            f"--against compares commits, and git finds no repository at {project.root} ({_reason(shallow)}). "
            "Put the project under git and commit it, or leave out --against."
        )
    if set(reference) == {"0"}:
        # So a forge names the commit before the first push of a branch.
        return NothingToCompareError("There is no commit before this one: the branch is new.")
    if shallow.stdout.strip() == "true":
        return UsageError(
            f'--against is "{reference}", which this shallow clone does not have. Type git fetch --unshallow; in '
            "GitHub Actions give actions/checkout fetch-depth: 0."
        )
    later = _ANCESTORS.sub("", reference)
    if later != reference and _commit(project, later) is not None:
        return NothingToCompareError(f"There is no commit {reference}: {later} does not have so many before it.")
    return UsageError(f'--against is "{reference}", which is no commit here: name a branch, a tag or a commit.')


def uncommitted(project: Project) -> str | None:
    """One line about changes of the checkout that no commit has; they are measured as well."""
    changed = _git(project.repository, "status", "--porcelain").stdout.splitlines()
    if not changed:
        return None
    files = "1 uncommitted change" if len(changed) == 1 else f"{len(changed)} uncommitted changes"
    return f"The candidate is the checkout as it is, with {files} (git status lists them)."


def checked_out(project: Project, commit: str) -> Project:
    """The project at a commit, in a worktree with builds and all; an earlier one is used again.

    Raises NothingToCompareError where that commit has no such project.
    """
    place = project.root.resolve().relative_to(project.repository) / PROJECT_FILE
    if _git(project.repository, "cat-file", "-e", f"{commit}:{place.as_posix()}").returncode != 0:
        raise NothingToCompareError(_without_project(project, commit, place))
    folder = _folder_of_commits(project) / short(commit)
    other = Project((folder / place).parent)
    # Its state is prepared last: a worktree without it was interrupted.
    is_whole = (other.state / IGNORE_FILE).exists() and (folder / ".git").exists()
    if not is_whole or _git(folder, "rev-parse", "HEAD").stdout.strip() != commit:
        _check_out(project, commit, folder)
        prepare_state(other)
    os.utime(folder)
    _remove_oldest(project, folder.parent)
    return other


def _folder_of_commits(project: Project) -> Path:
    """The folder of the project's commits, made; those of projects that were deleted are removed."""
    commits = project.commits
    try:
        commits.mkdir(parents=True, exist_ok=True)
        (commits / _PROJECT).write_bytes(os.fsencode(project.root))
    except OSError as error:
        raise BakeoffError(
            f"--against checks out the commit in {commits}, which cannot be written: {error.strerror}. Make it "
            "writable, or let XDG_CACHE_HOME name another folder."
        ) from error
    for note in commits.parent.glob(f"*/{_PROJECT}"):
        if not Path(os.fsdecode(note.read_bytes())).exists():
            shutil.rmtree(note.parent, ignore_errors=True)
    return commits


def _check_out(project: Project, commit: str, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    # No hook of the project's own runs because of a measurement.
    without_hooks = ("-c", f"core.hooksPath={os.devnull}")
    add = ("worktree", "add", *_FORCE, "--detach")
    made = _git(project.root, *without_hooks, *add, str(folder), commit)
    if made.returncode == 0 and (folder / ".gitmodules").exists():
        made = _git(folder, *without_hooks, "submodule", "update", "--init", "--recursive")
    if made.returncode != 0:
        raise BakeoffError(f"git could not check out {short(commit)} for --against: {_reason(made)}")


def _without_project(project: Project, commit: str, place: Path) -> str:
    """The project's file is not in a commit: where it is instead, and since when it is here."""
    listed = _git(project.repository, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).stdout
    elsewhere = [name for name in listed.split("\0") if name.rpartition("/")[2] == place.name]
    added = _git(project.repository, "log", "-1", "--format=%h", "--diff-filter=A", "--", place.as_posix())
    since = added.stdout.strip()
    there = f" There it is {', '.join(elsewhere)}." if elsewhere else ""
    return f"The commit {short(commit)} has no {place}, so the lab cannot start its services.{there} " + (
        f"Name {since}, which added it, or a later one." if since else f"Commit {place} first."
    )


def with_commit(
    project: Project, commit: str, contenders: Sequence[Contender], skip: Callable[[str, str], None]
) -> list[Contender]:
    """Each contender twice: as the commit builds it, and as the checkout does. Both keep the checkout's contract.

    A target that the commit does not have is left out. Raises UsageError for one outside of the repository, and
    NothingToCompareError where the commit has none.
    """
    for contender in contenders:
        _check_inside(contender.target, project.repository)
    others = _targets_at(project, commit, {contender.target.name for contender in contenders})
    both: list[Contender] = []
    for contender in contenders:
        other, in_docker = others.get(contender.target.name), contender.variant.runs_in == DOCKER
        before, after = _at(contender, short(commit)), _at(contender, CANDIDATE)
        lacking = _lacking(other, in_docker=in_docker)
        if other is None or lacking:
            skip(before.key, f"{before.key}: left out. {lacking}")
            continue
        _check_inside(other, other.project.repository)
        # Both warm up for as long as the checkout states.
        manifest = msgspec.structs.replace(other.manifest, warm_up_s=contender.target.manifest.warm_up_s)
        build = replace(other.build, name=f"{other.name}@{short(commit)}")
        target = replace(other, manifest=manifest, build=build)
        sides = (replace(before, target=target), after)
        both += [_with_own_image(each, project) for each in sides] if in_docker else sides
    if not both:
        raise NothingToCompareError(f"The commit {short(commit)} has none of the targets{_with_images(contenders)}.")
    return both


def _lacking(other: Target | None, *, in_docker: bool) -> str:
    """Why a target cannot be measured as the other commit has it; empty where it can."""
    if other is None:
        return "That commit has no such target."
    return "Its [image] is not in that commit yet." if in_docker and other.image is None else ""


def _with_images(contenders: Sequence[Contender]) -> str:
    return " with an [image]" if any(each.variant.runs_in == DOCKER for each in contenders) else ""


def _with_own_image(contender: Contender, project: Project) -> Contender:
    """The side with an image apart from the other's and from the usual one, which is removed after the comparison."""
    target = contender.target
    assert target.manifest.image is not None
    tag, labels = contender.factors[COMMIT], image_labels(project.root)
    image = image_of(target.name, target.directory, target.manifest.image, target.build, target.project, tag, labels)
    # The candidate's builds are called as the checkout's are.
    named = image if is_other_commit(contender) else replace(image, name=f"image {target.name}")
    return replace(contender, target=replace(target, image=named))


def _check_inside(target: Target, checkout: Path) -> None:
    """Raises UsageError for a target that no commit of the repository holds: both sides would be the same."""
    if not target.directory.resolve().is_relative_to(checkout.resolve()):
        raise UsageError(
            f"--against checks out another commit of the repository, and {target.name} lies outside of it, in "
            f"{target.directory}. Put a {PROJECT_FILE} into the repository of {target.name}, or name its directory "
            "relative to this one."
        )


def _at(contender: Contender, level: str) -> Contender:
    return replace(contender, factors={**contender.factors, COMMIT: level})


def _targets_at(project: Project, commit: str, names: Collection[str]) -> Mapping[str, Target]:
    other = checked_out(project, commit)
    try:
        return {target.name: target for target in find_targets(other, names)}
    except BakeoffError as error:
        raise NothingToCompareError(
            f"The commit {short(commit)} cannot be measured by this lab: {error.message}"
        ) from error


def _remove_oldest(project: Project, commits: Path) -> None:
    newest_first = sorted(
        filter(Path.is_dir, commits.iterdir()), key=lambda folder: folder.stat().st_mtime, reverse=True
    )
    for folder in newest_first[_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
        _git(project.root, "worktree", "remove", *_FORCE, str(folder))


def _git(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    try:
        return git(folder, *arguments, timeout_s=_GIT_TIMEOUT_S)
    except FileNotFoundError as error:
        raise BakeoffError("--against needs git, which is not on PATH. Install it, or leave out --against.") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BakeoffError(f"--against needs git, which cannot be run: {error}.") from error


def _reason(done: "subprocess.CompletedProcess[str]") -> str:
    """The words of git on why it failed, in one line."""
    return " ".join(done.stderr.split()).removeprefix("fatal: ").rstrip(".")
