"""A request that cannot be meant is refused before its needs are looked for."""

import shutil

import pytest

from bakeoff.comparing.preparation import choose
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import UsageError
from bakeoff.options.variant import Level
from bakeoff.project import Project
from bakeoff.targets.manifest import Target

TARGET = "intake-rest"
READING = "users-rest"


@pytest.mark.parametrize("levels", [{"replicas": [2]}, {"pgbouncer": ["session"]}])
def test_an_attached_target_needs_neither_proxy_nor_pool(
    project: Project, monkeypatch: pytest.MonkeyPatch, levels: dict[str, list[Level]]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: None)
    monkeypatch.setenv("DATABASE_URL", "postgresql://h/x")
    request = ComparisonRequest("quick", "", levels=levels, attached={TARGET: "http://127.0.0.1:1"})
    with pytest.raises(UsageError, match="cannot be combined with --attach: the lab cannot configure"):
        choose(project, request, lambda *_: None)


@pytest.mark.parametrize(
    ("attached", "words"),
    [
        ({READING: "http://127.0.0.1:1"}, "--read-replica cannot be combined with --attach: the lab cannot configure"),
        ({}, "--read-replica cannot be combined with DATABASE_URL: it follows the embedded PostgreSQL"),
    ],
)
def test_only_the_labs_own_database_has_a_replica(
    project: Project, monkeypatch: pytest.MonkeyPatch, attached: dict[str, str], words: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://h/x")
    monkeypatch.setattr(Target, "why_skipped", None)
    request = ComparisonRequest("quick", "", levels={"read_replica": [True]}, targets=[READING], attached=attached)
    with pytest.raises(UsageError, match=words):
        choose(project, request, lambda *_: None)
