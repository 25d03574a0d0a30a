"""The GitHub Action: its schema, its versions, and how it finds the base of a pull request."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from action import ACTION, action, run_step

ROOT = ACTION.parent
NO_COMMIT = "0" * 40


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-actions", [ACTION]),
        ("vendor.github-workflows", sorted((ROOT / ".github" / "workflows").glob("*.yml"))),
    ],
)
def test_it_keeps_the_schema(schema: str, files: list[Path]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *files],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_it_installs_the_version_beside_it() -> None:
    version = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert action()["inputs"]["package"]["default"] == f"bakeoff=={version}"


def test_no_input_is_part_of_a_script() -> None:
    scripts = [step["run"] for step in action()["runs"]["steps"] if "run" in step]
    assert scripts and not any("${{" in script for script in scripts)


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A repository whose pull request branched off main, which has moved on; HEAD is the merge of both."""
    root = tmp_path / "origin"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for subject in ("first", "second"):
        git(root, "commit", "-q", "--allow-empty", "-m", subject)
    git(root, "checkout", "-q", "-b", "change", "HEAD~1")
    git(root, "commit", "-q", "--allow-empty", "-m", "change")
    git(root, "checkout", "-q", "-b", "merge", "main")
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "change")
    return root


def clone(origin: Path, depth: int | None, reference: str = "merge") -> Path:
    folder = origin.with_name("clone")
    shallow = [] if depth is None else [f"--depth={depth}"]
    git(origin.parent, "clone", "-q", *shallow, "--branch", reference, f"file://{origin}", str(folder))
    return folder


def base_of(folder: Path, event: str, **given: str) -> str:
    """The commit that the step finds."""
    outputs = folder.with_name("outputs")
    environment = {
        **os.environ,
        "GITHUB_OUTPUT": str(outputs),
        "GITHUB_SHA": git(folder, "rev-parse", "HEAD"),
        "GITHUB_EVENT_NAME": event,
    }
    done = run_step("Find the base", folder, environment, **given)
    assert done.returncode == 0, done.stderr
    name, _, commit = outputs.read_text("utf-8").strip().partition("=")
    assert name == "commit"
    return commit


@pytest.mark.parametrize("depth", [1, None])
def test_a_merge_is_compared_with_what_it_was_merged_into(origin: Path, depth: int | None) -> None:
    folder, stale = clone(origin, depth), git(origin, "rev-parse", "main~1")
    assert base_of(folder, "pull_request", EVENT_BASE=stale) == git(origin, "rev-parse", "main")
    # A clone with all commits keeps them.
    assert (git(folder, "rev-parse", "--is-shallow-repository") == "true") == (depth is not None)


@pytest.mark.parametrize("depth", [1, None])
def test_a_push_is_compared_with_the_commit_before(origin: Path, depth: int | None) -> None:
    folder, before = clone(origin, depth), git(origin, "rev-parse", "main~1")
    assert base_of(folder, "push", EVENT_BASE=before) == before
    assert git(folder, "cat-file", "-t", before) == "commit"


@pytest.mark.parametrize("against", ["main", "origin/main"])
def test_a_branch_is_fetched_where_a_shallow_clone_lacks_it(origin: Path, against: str) -> None:
    assert base_of(clone(origin, 1), "pull_request", AGAINST=against) == git(origin, "rev-parse", "main")


@pytest.mark.parametrize("base", [NO_COMMIT, "nonsense"])
def test_what_cannot_be_fetched_is_left_to_the_gate(origin: Path, base: str) -> None:
    assert base_of(clone(origin, 1), "push", EVENT_BASE=base) == base
