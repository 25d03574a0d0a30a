"""Health checks: their headers, and what a message says of one that fails."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import grpc
import pytest

from bakeoff.errors import BakeoffError
from bakeoff.processes.request_client import RequestClient
from bakeoff.targets import attached
from bakeoff.targets.access import Access
from bakeoff.targets.attached import AttachedTarget
from bakeoff.targets.health import GrpcHealthCheck, HttpHealthCheck
from bakeoff.targets.security import lab_certificate
from made_up_manifests import target

REFUSED = "nothing listens on this port"
CALL = "grpc.health.v1.Health/Check of the server"


class Closed(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = self.headers.get("authorization") == "Basic dTpw"
        body = b"[]" if known else b'Log in\nfirst, not with {"token": "t-1"}. ' + b"x" * 1000
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


@contextmanager
def accepting(serve: Callable[[socket.socket], None]) -> Iterator[Access]:
    """A listener that does this with its first connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with listener.accept()[0] as connection:
                serve(connection)

        thread = threading.Thread(target=accept)
        thread.start()
        yield Access("127.0.0.1", listener.getsockname()[1])
        thread.join()


def resets(connection: socket.socket) -> None:
    connection.recv(1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def test_a_check_has_its_credentials(access: Access, client: RequestClient) -> None:
    check = HttpHealthCheck(client, "GET", "/", 200, headers={"Authorization": "Basic dTpw"})
    assert check.answer(access).is_healthy
    assert not HttpHealthCheck(client, "GET", "/", 200).answer(access).is_healthy


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
    assert 'is not healthy: GET /items got 401; expected is 200: Log in first, not with {"token": ***}. xxx' in message
    assert "xxx… Is it running" in message
    assert message.count("x") < 200


def test_without_an_answer_the_reason_is_shown(client: RequestClient) -> None:
    nowhere = Access("127.0.0.1", 1)
    answer = HttpHealthCheck(client, "GET", "/", None).answer(nowhere)
    assert (answer.kind, answer.words) == ("refused", f"GET / got no answer: {REFUSED}.")
    assert GrpcHealthCheck(client, "").answer(nowhere).words == f"{CALL} got no answer: {REFUSED}."


def test_a_connection_that_is_reset_and_a_server_of_another_protocol_are_named(
    client: RequestClient, tmp_path: Path
) -> None:
    check = HttpHealthCheck(client, "GET", "/", 200)
    with accepting(resets) as address:
        assert check.answer(address).kind == "reset"
    certificate = lab_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.certificate, certificate.key)

    def handshake(connection: socket.socket) -> None:
        with pytest.raises(ssl.SSLError):
            context.wrap_socket(connection, server_side=True)

    with accepting(handshake) as address:
        answer = check.answer(address)
    assert not answer.is_healthy and answer.words.startswith("GET / got ")


class Health(grpc.GenericRpcHandler):
    """Answers health checks with this message; without one it has no service of that name."""

    def __init__(self, message: bytes | None) -> None:
        self._message = message

    def service(self, _details: object) -> Any:
        message = self._message
        return None if message is None else grpc.unary_unary_rpc_method_handler(lambda *_: message)


@contextmanager
def grpc_server(message: bytes | None) -> Iterator[Access]:
    server = grpc.server(futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((Health(message),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield Access("127.0.0.1", port)
    finally:
        server.stop(None).wait()


STATUSES: Mapping[bytes, str] = {b"": "UNKNOWN", b"\x08\x02": "NOT_SERVING", b"\x08\x03": "SERVICE_UNKNOWN"}


@pytest.mark.parametrize(("message", "status"), STATUSES.items())
def test_a_grpc_server_that_does_not_serve_shows_its_status(client: RequestClient, message: bytes, status: str) -> None:
    with grpc_server(message) as address:
        answer = GrpcHealthCheck(client, "").answer(address)
    assert (answer.is_healthy, answer.kind, answer.words) == (False, status, f"{CALL} got {status}.")


def test_a_grpc_server_without_a_health_service_shows_its_message(client: RequestClient) -> None:
    with grpc_server(None) as address:
        assert GrpcHealthCheck(client, "", optional=True).answer(address).is_healthy
        answer = GrpcHealthCheck(client, "").answer(address)
    assert answer.words == f"{CALL} got UNIMPLEMENTED; expected is SERVING: Method not found!"
