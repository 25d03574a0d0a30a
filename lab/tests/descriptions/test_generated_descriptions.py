"""Descriptions that frameworks make: their own services refuse no request of the import."""

import asyncio
import json
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from bakeoff.project import Project
from bakeoff.scaffold.description_files import description_of
from bakeoff.scaffold.new_project import new_project, write_project
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan
from described_client import DescribedClient
from described_service import Reply
from fastapi_service import service


class InProcess:
    """Sends requests to an ASGI application."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Reply:
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "server": ("127.0.0.1", 1),
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": body or b"", "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        asyncio.run(self._app(scope, receive, send))
        content = b"".join(each.get("body", b"") for each in sent[1:])
        return Reply(sent[0]["status"], json.loads(content) if content else None)


def test_a_service_of_fastapi_refuses_nothing(tmp_path: Path) -> None:
    app = service()
    (tmp_path / "openapi.json").write_text(json.dumps(app.openapi()), "utf-8")
    source = description_of(tmp_path, str(tmp_path / "openapi.json"), None, None, [])
    assert source is not None
    assert (source.api.left_out, source.api.faults) == ([], [])
    assert source.api.health == {"method": "GET", "path": "/healthz", "expect": 200}
    project = Project(tmp_path)
    write_project(project, new_project(project, "w", source, None))
    plan = compile_plan(load_workload(project, "w"), Load("w", "http", "127.0.0.1", 1, "smoke", phases=[]))

    problems = [each for user in range(3) for each in DescribedClient(plan, InProcess(app), user).problems()]

    assert len(plan.operations) == 12
    assert problems == []
