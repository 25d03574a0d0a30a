"""Reaching a target: in plain text and over TLS, with the lab's own certificate, by the engine's client."""

import http.server
import ssl
import threading
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from bakeoff.conformance.exchange import GrpcRequest, HttpRequest
from bakeoff.conformance.grpc_caller import GrpcCaller
from bakeoff.conformance.http_caller import HttpCaller
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.processes.request_client import RequestClient
from bakeoff.targets import attached
from bakeoff.targets.access import Access, access_of, is_loopback
from bakeoff.targets.attached import AttachedTarget
from bakeoff.targets.health import Answer, GrpcHealthCheck, HttpHealthCheck
from bakeoff.targets.security import Certificate, lab_certificate
from bakeoff.workload.plan_records import PlannedTls


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return lab_certificate(tmp_path_factory.mktemp("tls"))


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers with the token it was given and the length of what it read."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        read = self.rfile.read(int(self.headers.get("content-length", 0)))
        body = f"{self.headers.get('authorization')} {len(read)}".encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815 — the library's naming

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def http_server(certificate: Certificate) -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.certificate, certificate.key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def secure(port: int, certificate: Certificate, token: str | None = None) -> Access:
    return Access("127.0.0.1", port, PlannedTls(ca_file=str(certificate.authority)), token)


def test_http_over_tls(certificate: Certificate, client: RequestClient) -> None:
    health = HttpHealthCheck(client, "GET", "/", 200)
    with http_server(certificate) as port:
        assert health.answer(secure(port, certificate)).is_healthy
        # Without the authority the certificate is not trusted, and plain text is no TLS.
        assert not health.answer(Access("127.0.0.1", port, PlannedTls())).is_healthy
        assert not health.answer(Access("127.0.0.1", port)).is_healthy
        caller = HttpCaller(secure(port, certificate, "s3cret"), client)
        caller.check_reachable()
        reply = caller.send(HttpRequest("POST", "/", {}, b"x" * 3_000_000))
        assert reply.body == b"Bearer s3cret 3000000"


def test_grpc_over_tls(certificate: Certificate, client: RequestClient) -> None:
    def answer(request: bytes, context: Any) -> bytes:
        given = dict(context.invocation_metadata()).get("authorization", "nothing")
        return b"\x08\x01" if request == b"" else given.encode()

    class Handler(grpc.GenericRpcHandler):
        def service(self, _details: object) -> "grpc.RpcMethodHandler[bytes, bytes]":
            return grpc.unary_unary_rpc_method_handler(answer)

    server = grpc.server(futures.ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((Handler(),))
    keys = [(certificate.key.read_bytes(), certificate.certificate.read_bytes())]
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials(keys))
    server.start()
    try:
        assert GrpcHealthCheck(client, "").answer(secure(port, certificate)).is_healthy
        assert not GrpcHealthCheck(client, "").answer(Access("127.0.0.1", port)).is_healthy
        caller = GrpcCaller(secure(port, certificate, "s3cret"), client)
        caller.check_reachable()
        assert caller.send(GrpcRequest("a.B/C", (b"x",))).payloads == (b"Bearer s3cret",)
    finally:
        server.stop(None).wait()


def test_the_certificate_is_kept_and_made_anew_when_it_is_damaged(tmp_path: Path) -> None:
    first = lab_certificate(tmp_path)
    assert first.key.stat().st_mode & 0o077 == 0
    content = first.certificate.read_bytes()
    assert lab_certificate(tmp_path).certificate.read_bytes() == content
    first.certificate.write_text("damaged")
    assert lab_certificate(tmp_path).certificate.read_bytes() not in (content, b"damaged")


@pytest.mark.parametrize(
    ("url", "access"),
    [
        ("http://host:8081", Access("host", 8081)),
        ("http://127.0.0.1", Access("127.0.0.1", 80)),
        ("https://api.example/", Access("api.example", 443, PlannedTls())),
    ],
)
def test_addresses(url: str, access: Access) -> None:
    assert access_of(url) == access


@pytest.mark.parametrize("url", ["", "host:8081", "ftp://host", "http://", "http://host/path", "http://host:99999"])
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(UsageError, match="is not an address"):
        access_of(url)


def test_a_token_shows_nowhere() -> None:
    assert "s3cret" not in repr(Access("host", 1, token="s3cret"))


def test_an_attached_target_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from made_up_manifests import target

    class Ill:
        def answer(self, _access: Access) -> Answer:
            return Answer(is_healthy=False)

    monkeypatch.setattr(attached, "_HEALTHY_WITHIN_S", 0.0)
    with (
        pytest.raises(BakeoffError, match="a-target at host:9 is not healthy"),
        AttachedTarget(target("a-target"), Access("host", 9), Ill()),
    ):
        pass


@pytest.mark.parametrize(
    "url",
    [
        "http://user:hunter2@127.0.0.1:8081",
        "https://hunter2@example.org",
        "http://:hunter2@127.0.0.1:8081",
        "http://@127.0.0.1:8081",
        "http://127.0.0.1:8081/?token=hunter2",
        "http://user:hunter2@127.0.0.1:port",
        "http://127.0.0.1:8081/#hunter2",
    ],
)
def test_an_address_holds_no_secret(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        access_of(url)
    assert "hunter2" not in refused.value.message or "#" in url


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_hosts(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["10.0.0.1", "0.0.0.0", "localhost.example", "target"])
def test_other_hosts(host: str) -> None:
    assert not is_loopback(host)
