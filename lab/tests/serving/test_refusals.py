"""The words of a page that cannot be shown, and what they hide."""

from typing import NoReturn

import psycopg
import pytest
from starlette.testclient import TestClient

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.serving.web_app import create_app

SECRET = "a-secret-of-the-house"
AWAY = Server(f"postgresql://someone:{SECRET}@127.0.0.1:1/metrics", None, embedded=False)
HEADERS = ("content-security-policy", "x-content-type-options", "referrer-policy", "cache-control")


@pytest.fixture
def without_database(empty_checkout: Project) -> TestClient:
    return TestClient(create_app(empty_checkout, AWAY), base_url="http://127.0.0.1", raise_server_exceptions=False)


@pytest.mark.parametrize(
    "address",
    ["/comparisons", "/comparisons/1", "/comparisons/1/report", "/comparisons/1.json", "/runs", "/runs/1", "/trends"],
)
def test_a_database_that_is_away_is_no_missing_page(without_database: TestClient, address: str) -> None:
    reply = without_database.get(address)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
    assert "cannot be reached" in reply.text
    assert SECRET not in reply.text and "someone" not in reply.text


@pytest.mark.parametrize("address", ["/live", "/static/live.js", "/static/report.css"])
def test_what_needs_no_database_is_shown_without_one(without_database: TestClient, address: str) -> None:
    assert without_database.get(address).status_code == 200


def break_with(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr("bakeoff.serving.pages.list_runs", broken)


def test_a_connection_that_breaks_is_a_database_away(
    without_database: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_with(psycopg.errors.AdminShutdown(SECRET), monkeypatch)
    reply = without_database.get("/runs")
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
    assert SECRET not in reply.text


@pytest.mark.parametrize("error", [RuntimeError(SECRET), BakeoffError(SECRET)])
def test_a_failure_of_our_own_is_a_plain_page(
    without_database: TestClient, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    break_with(error, monkeypatch)
    reply = without_database.get("/runs")
    assert reply.status_code == 500
    assert "Internal error" in reply.text
    assert SECRET not in reply.text
    assert [name for name in HEADERS if name not in reply.headers] == []


@pytest.mark.parametrize("address", ["/comparisons", "/nothing", "/live"])
def test_every_page_is_guarded(without_database: TestClient, address: str) -> None:
    reply = without_database.get(address)
    assert [name for name in HEADERS if name not in reply.headers] == []
