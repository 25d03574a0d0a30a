"""Health checks: their headers, and what a message says of one that fails."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.processes.request_client import RequestClient
from bakeoff.targets import attached
from bakeoff.targets.access import Access
from bakeoff.targets.attached import AttachedTarget
from bakeoff.targets.health import GrpcHealthCheck, HttpHealthCheck, answer_to
from made_up_manifests import target

REFUSED = "nothing listens on this port"


class Closed(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = self.headers.get("authorization") == "Basic dTpw"
        body = b"[]" if known else b"Log in\nfirst. " + b"x" * 1000
        self.send_response(200 if known else 401)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def access() -> Iterator[Access]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Closed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Access("127.0.0.1", server.server_port)
        server.shutdown()


def test_a_check_has_its_credentials(access: Access, client: RequestClient) -> None:
    assert HttpHealthCheck(client, "GET", "/", 200, headers={"Authorization": "Basic dTpw"}).is_healthy(access)
    assert not HttpHealthCheck(client, "GET", "/", 200).is_healthy(access)


def test_an_attached_target_that_is_not_healthy_shows_request_status_and_first_bytes(
    access: Access, client: RequestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attached, "_HEALTHY_WITHIN_S", 0.0)
    with (
        pytest.raises(BakeoffError) as refused,
        AttachedTarget(target("shop"), access, HttpHealthCheck(client, "GET", "/items", 200)),
    ):
        pass
    message = refused.value.message
    assert "is not healthy: GET /items got 401; expected is 200: Log in first. xxx" in message
    assert message.count("x") < 200


def test_without_an_answer_the_reason_is_shown(client: RequestClient) -> None:
    nowhere = Access("127.0.0.1", 1)
    assert answer_to(HttpHealthCheck(client, "GET", "/", None), nowhere) == f"GET / got no answer: {REFUSED}."
    name = "grpc.health.v1.Health/Check of the server"
    assert answer_to(GrpcHealthCheck(client, ""), nowhere) == f"{name} got no answer: {REFUSED}."
