"""Another commit beside the checkout: its files in a git worktree, and its targets as separate contenders."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.variant import CANDIDATE, COMMIT, short
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.targets.manifest import Target, find_targets

# Each holds a whole build: the newest are kept, so that the next comparison need not compile all again.
_KEPT = 3


def full_name(project: Project, reference: str) -> str:
    """The commit that a reference means. Raises UsageError where it means none."""
    found = _git(project.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    if found.returncode != 0:
        raise UsageError(f'--against is "{reference}", which is no commit here: name a branch, a tag or a commit.')
    return found.stdout.strip()


def checked_out(project: Project, commit: str) -> Project:
    """The files of a commit in their own worktree, with builds and all; an earlier one is used again."""
    commits = project.state / "commits"
    folder = commits / short(commit)
    if _git(folder, "rev-parse", "HEAD").stdout.strip() != commit or not (folder / ".git").exists():
        shutil.rmtree(folder, ignore_errors=True)
        commits.mkdir(parents=True, exist_ok=True)
        _git(project.root, "worktree", "prune")
        # No hook of the project's own runs because of a measurement.
        made = _git(
            project.root, "-c", f"core.hooksPath={os.devnull}", "worktree", "add", "--detach", str(folder), commit
        )
        if made.returncode != 0:
            raise BakeoffError(f"git could not check out {short(commit)} for --against: {made.stderr.strip()}")
    os.utime(folder)
    _remove_oldest(project, commits)
    return Project(folder / project.root.resolve().relative_to(project.repository))


def with_commit(
    project: Project, commit: str, contenders: Sequence[Contender], skip: Callable[[str, str], None]
) -> list[Contender]:
    """Each contender twice: as the commit builds it, and as the checkout does. Both keep the checkout's contract.

    A target that the commit does not have is left out.
    """
    others = _targets_at(project, commit)
    both = []
    for contender in contenders:
        other = others.get(contender.target.name)
        before = _at(contender, short(commit))
        if other is None:
            skip(before.key, f"{before.key}: left out. That commit has no such target.")
            continue
        build = replace(other.build, name=f"{other.name}@{short(commit)}")
        both += [replace(before, target=replace(other, build=build)), _at(contender, CANDIDATE)]
    if not both:
        raise BakeoffError(f"The commit {short(commit)} has none of the targets, so there is nothing to compare.")
    return both


def _at(contender: Contender, level: str) -> Contender:
    return replace(contender, factors={**contender.factors, COMMIT: level})


def _targets_at(project: Project, commit: str) -> Mapping[str, Target]:
    other = checked_out(project, commit)
    try:
        return {target.name: target for target in find_targets(other)}
    except BakeoffError as error:
        raise BakeoffError(f"The commit {short(commit)} cannot be measured by this lab: {error.message}") from error


def _remove_oldest(project: Project, commits: Path) -> None:
    newest_first = sorted(commits.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in newest_first[_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
    if newest_first[_KEPT:]:
        _git(project.root, "worktree", "prune")


def _git(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False, timeout=120
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BakeoffError(f"--against needs git, which cannot be run: {error}.") from error
