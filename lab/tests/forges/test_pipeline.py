"""The pull request of a pipeline, from its environment."""

import json
from pathlib import Path

import pytest

from bakeoff.forges.github import GitHubPullRequest
from bakeoff.forges.gitlab import GitLabMergeRequest
from bakeoff.forges.pipeline import NoDiscussionError, pipeline_address, pipeline_of

GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "shop/api",
    "GITHUB_RUN_ID": "5",
    "GITHUB_TOKEN": "secret",
}
GITLAB = {
    "GITLAB_CI": "true",
    "CI_API_V4_URL": "https://gitlab.example/api/v4",
    "CI_JOB_URL": "https://gitlab.example/shop/api/-/jobs/9",
    "CI_MERGE_REQUEST_IID": "7",
    "CI_MERGE_REQUEST_PROJECT_ID": "42",
    "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "42",
    "GITLAB_TOKEN": "secret",
}


def event(folder: Path, head: object = "shop/api") -> dict[str, str]:
    repository = None if head is None else {"full_name": head}
    sides = {"head": {"repo": repository}, "base": {"repo": {"full_name": "shop/api"}}}
    file = folder / "event.json"
    file.write_text(json.dumps({"pull_request": {"number": 7, **sides}}), "utf-8")
    return {"GITHUB_EVENT_PATH": str(file)}


@pytest.mark.parametrize(("head", "from_fork"), [("shop/api", False), ("stranger/api", True), (None, True)])
def test_a_pull_request_on_github(tmp_path: Path, head: object, from_fork: bool) -> None:
    pipeline = pipeline_of({**GITHUB, **event(tmp_path, head)})
    assert isinstance(pipeline.discussion, GitHubPullRequest)
    assert (pipeline.from_fork, pipeline.address) == (from_fork, "https://github.com/shop/api/actions/runs/5")


def test_the_merge_reference_names_the_pull_request_too() -> None:
    pipeline = pipeline_of({**GITHUB, "GITHUB_REF": "refs/pull/12/merge"})
    assert not pipeline.from_fork


@pytest.mark.parametrize(("source", "from_fork"), [("42", False), ("43", True)])
def test_a_merge_request_on_gitlab(source: str, from_fork: bool) -> None:
    pipeline = pipeline_of({**GITLAB, "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": source})
    assert isinstance(pipeline.discussion, GitLabMergeRequest)
    assert (pipeline.from_fork, pipeline.address) == (from_fork, GITLAB["CI_JOB_URL"])


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "neither GitHub Actions nor GitLab CI"),
        ({**GITHUB, "GITHUB_REF": "refs/heads/main"}, "of no pull request"),
        ({**GITHUB, "GITHUB_EVENT_PATH": "/no/such/file"}, "of no pull request"),
        ({**GITHUB, "GITHUB_REF": "refs/pull/12/merge", "GITHUB_TOKEN": ""}, "GITHUB_TOKEN is not set"),
        ({**GITLAB, "CI_MERGE_REQUEST_IID": ""}, "of no merge request"),
        ({**GITLAB, "GITLAB_TOKEN": ""}, "GITLAB_TOKEN is not set"),
    ],
)
def test_why_there_is_nothing_to_comment_on(environment: dict[str, str], words: str) -> None:
    with pytest.raises(NoDiscussionError, match=words):
        pipeline_of(environment)


def test_the_page_of_the_results() -> None:
    assert pipeline_address({}) is None
    assert pipeline_address(GITHUB) == "https://github.com/shop/api/actions/runs/5"
