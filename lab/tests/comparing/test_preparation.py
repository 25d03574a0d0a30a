"""What a request cannot mean is refused before what it would need is missed."""

import shutil

import pytest

from bakeoff.comparing.preparation import choose
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import UsageError
from bakeoff.factors.variant import Level
from bakeoff.project import Project

TARGET = "producer-api-go-rest"


@pytest.mark.parametrize("levels", [{"replicas": [2]}, {"pgbouncer": ["session"]}])
def test_an_attached_target_needs_neither_proxy_nor_pool(
    project: Project, monkeypatch: pytest.MonkeyPatch, levels: dict[str, list[Level]]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: None)
    monkeypatch.setenv("DATABASE_URL", "postgresql://h/x")
    request = ComparisonRequest("quick", "", levels=levels, attached={TARGET: "http://127.0.0.1:1"})
    with pytest.raises(UsageError, match=f"{TARGET} is attached, so the lab cannot configure"):
        choose(project, request, lambda *_: None)
