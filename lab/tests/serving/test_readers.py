"""Who may read."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.serving.web_app import create_app

TOKEN = "correct-horse"


@pytest.fixture
def guarded(metrics: Server, empty_checkout: Project) -> Iterator[TestClient]:
    app = create_app(empty_checkout, metrics, TOKEN)
    with TestClient(app, base_url="https://lab.example", follow_redirects=False) as client:
        yield client


def test_a_name_that_leads_here_from_elsewhere_is_refused(metrics: Server, empty_checkout: Project) -> None:
    client = TestClient(create_app(empty_checkout, metrics), base_url="http://evil.example")
    assert client.get("/comparisons").status_code == 400


@pytest.mark.parametrize("address", ["/comparisons", "/live/events", "/static/live.js", "/?token=wrong"])
def test_without_the_token_nothing_is_shown(guarded: TestClient, address: str) -> None:
    assert guarded.get(address).status_code == 401


def test_the_token_as_a_bearer(guarded: TestClient) -> None:
    assert guarded.get("/comparisons", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_the_token_in_an_address_becomes_a_cookie(guarded: TestClient) -> None:
    first = guarded.get(f"/comparisons?q=fast&token={TOKEN}")
    assert (first.status_code, first.headers["location"]) == (303, "/comparisons?q=fast")
    assert "HttpOnly" in first.headers["set-cookie"]
    assert guarded.get("/comparisons").status_code == 200


def test_pages_fetch_nothing_from_elsewhere(guarded: TestClient) -> None:
    reply = guarded.get("/comparisons", headers={"authorization": f"Bearer {TOKEN}"})
    assert reply.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
