"""The pipeline that runs the lab, from its environment: which pull request it is of, and where its results appear."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bakeoff.errors import BakeoffError
from bakeoff.forges.comments import Discussion
from bakeoff.forges.github import GitHubPullRequest, github_api
from bakeoff.forges.gitlab import GitLabMergeRequest, gitlab_api

_GITHUB_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_GITLAB_TOKEN = "GITLAB_TOKEN"  # noqa: S105 — a name, not a secret
_MERGE_REF = re.compile(r"refs/pull/(\d+)/")


class NoDiscussionError(BakeoffError):
    """There is no pull request to comment on, or no token."""


@dataclass(frozen=True)
class Pipeline:
    """A job of GitHub Actions or GitLab CI. `address` is the page where its results appear, `from_fork` whether the
    pull request comes from a fork, so that the token may be read-only. `advice` says how a token gets its rights.
    """

    discussion: Discussion
    address: str
    from_fork: bool
    advice: str


def pipeline_address(environment: Mapping[str, str]) -> str | None:
    """The page of the run of this job; None where no known pipeline runs the lab."""
    if environment.get("GITHUB_ACTIONS") == "true":
        parts = (environment.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID"))
        return "{}/{}/actions/runs/{}".format(*parts)
    if environment.get("GITLAB_CI") == "true":
        return environment.get("CI_JOB_URL")
    return None


def pipeline_of(environment: Mapping[str, str]) -> Pipeline:
    """The pipeline with its pull request. Raises NoDiscussionError with the reason where there is none."""
    address = pipeline_address(environment)
    if address is None:
        raise NoDiscussionError("No comment is written: this is neither GitHub Actions nor GitLab CI.")
    of_forge = _github if environment.get("GITHUB_ACTIONS") == "true" else _gitlab
    return of_forge(environment, address)


def _github(environment: Mapping[str, str], address: str) -> Pipeline:
    event = _event(environment)
    pull = event.get("pull_request") or {}
    merge = _MERGE_REF.match(environment.get("GITHUB_REF", ""))
    number = pull.get("number") or (merge and int(merge.group(1)))
    if not number:
        raise NoDiscussionError("No comment is written: this workflow run is of no pull request. Use on: pull_request.")
    token = next((found for name in _GITHUB_TOKENS if (found := environment.get(name))), None)
    if token is None:
        raise NoDiscussionError(
            "No comment is written: GITHUB_TOKEN is not set. Give the step env: GITHUB_TOKEN: ${{ github.token }}."
        )
    api = github_api(environment.get("GITHUB_API_URL") or "https://api.github.com", token)
    return Pipeline(
        GitHubPullRequest(api, environment.get("GITHUB_REPOSITORY", ""), number),
        address,
        from_fork=bool(pull) and _repository(pull, "head") != _repository(pull, "base"),
        advice="Give the job permissions: pull-requests: write.",
    )


def _event(environment: Mapping[str, str]) -> Mapping[str, Any]:
    """The event that started the workflow; empty where its file cannot be read."""
    try:
        event = json.loads(Path(environment.get("GITHUB_EVENT_PATH", "")).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return event if isinstance(event, dict) else {}


def _repository(pull: Mapping[str, Any], side: str) -> str | None:
    """The repository of a side; None where a fork was deleted."""
    found = (pull.get(side) or {}).get("repo") or {}
    return found.get("full_name")


def _gitlab(environment: Mapping[str, str], address: str) -> Pipeline:
    number = environment.get("CI_MERGE_REQUEST_IID", "")
    if not number.isdecimal():
        raise NoDiscussionError(
            "No comment is written: this pipeline is of no merge request. Give the job rules: - if: "
            "$CI_PIPELINE_SOURCE == 'merge_request_event'."
        )
    token = environment.get(_GITLAB_TOKEN)
    if not token:
        raise NoDiscussionError(
            f"No comment is written: {_GITLAB_TOKEN} is not set. Make a project access token with the scope api, and "
            "add it to the project's CI/CD variables."
        )
    project = environment.get("CI_MERGE_REQUEST_PROJECT_ID") or environment.get("CI_PROJECT_ID", "")
    web_url = environment.get("CI_MERGE_REQUEST_PROJECT_URL") or environment.get("CI_PROJECT_URL", "")
    return Pipeline(
        GitLabMergeRequest(gitlab_api(environment.get("CI_API_V4_URL", ""), token), project, int(number), web_url),
        address,
        from_fork=environment.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", project) != project,
        advice=f"Give {_GITLAB_TOKEN} the scope api and the role Reporter.",
    )
