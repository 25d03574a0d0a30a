"""A recorded session, sent by the engine: no request fails, because identifiers and tags are those of each user."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from orders_api import Orders, serving
from rich.console import Console

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.project import PROJECT_VARIABLE, Project

pytestmark = pytest.mark.end_to_end

QUICK = ComparisonRequest("quick", "a test", users=[4], phase_duration_s=2, warm_up_s=0)


def visited(server: Orders, method: str, path: str, sent: Any = None) -> dict[str, Any]:
    """Sends a request as a browser does, and returns its entry of a recording."""
    body = None if sent is None else json.dumps(sent).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "Mozilla"}
    request = urllib.request.Request(server.url + path, body, headers, method=method)  # noqa: S310 - the test's server
    with urllib.request.urlopen(request) as reply:  # noqa: S310 - the test's server
        content, status, shown = reply.read().decode(), reply.status, dict(reply.headers)
    posted = {} if body is None else {"postData": {"mimeType": "application/json", "text": body.decode()}}
    return {
        "request": {"method": method, "url": server.url + path, "headers": _pairs(headers), **posted},
        "response": {
            "status": status,
            "headers": _pairs(shown),
            "content": {"mimeType": "application/json", "text": content},
        },
    }


def _pairs(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]


def test_a_recorded_session_is_sent_by_each_user(measuring_checkout: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = measuring_checkout.root
    measuring_checkout.file.unlink()
    monkeypatch.chdir(root)
    monkeypatch.delenv(PROJECT_VARIABLE)

    with serving("created", "states", "catalogue") as server:
        made = visited(server, "POST", "/orders", {"item": "tea"})
        order = json.loads(made["response"]["content"]["text"])["id"]
        entries = [visited(server, "GET", "/products"), visited(server, "GET", "/products/green-tea"), made]
        entries += [visited(server, "POST", f"/orders/{order}/{step}") for step in ("pay", "ship")]
        entries.append(visited(server, "GET", f"/orders/{order}"))
        (root / "session.har").write_text(json.dumps({"log": {"entries": entries}}), "utf-8")
        make_project(InitOptions(["orders"], har=root / "session.har"))
        comparison = compare(
            measuring_checkout, replace(QUICK, attached={"orders": server.url}), PlainProgress(Console(quiet=True))
        )

    assert comparison.not_measured == {}
    (run,) = comparison.runs
    assert run.total is not None
    # The lab asks for / until the port answers.
    assert [each for each in server.failed if not each.startswith("GET /:")] == []
    assert (run.total.failed, run.total.requests > 50) == (0, True)
