"""TLS and the bearer token, from outside: what the contract says of them, and the contract itself through them."""

import contextlib
import http.client
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from event_clients import EventClients, Outcome, TlsTrust, event
from running_targets import TARGETS, start, target_named

from bakeoff.comparing.preparation import required_profile
from bakeoff.conformance.exchange import GrpcReply, GrpcRequest, HttpReply, HttpRequest
from bakeoff.conformance.grpc_protocol import GrpcProtocol, codec_of
from bakeoff.conformance.http_protocol import HttpProtocol
from bakeoff.conformance.runner import load_cases, run_cases
from bakeoff.conformance.stored_rows import PostgresRows
from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.project import Project
from bakeoff.running.fresh_state import fresh_table
from bakeoff.targets.access import Access
from bakeoff.targets.health import Answer
from bakeoff.targets.manifest import STANDARD, Target
from bakeoff.workload.loader import Workload, load_workload

pytestmark = pytest.mark.end_to_end

TOKEN = "a-token-of-visible-characters~"
SUBJECTS = ["merging", "health", "media-type"]
SETTINGS = ("tls_cert_file", "tls_key_file", "api_token")
REFUSAL = "authorization: a valid bearer token is required"


@dataclass(frozen=True)
class Certificate:
    """A certificate for the loopback address that signs itself, and its key."""

    certificate: Path
    key: Path

    @property
    def trust(self) -> TlsTrust:
        return TlsTrust(self.certificate.read_bytes())


@dataclass(frozen=True)
class Secured:
    """A target behind TLS and a token."""

    target: Target
    workload: Workload
    port: int
    trust: TlsTrust

    def clients(self, token: str | None) -> EventClients:
        return EventClients(self.workload, self.target.protocol, self.port, tls=self.trust, token=token)


@dataclass(frozen=True)
class SecureHealth:
    """A health check through TLS and without the token, which it must not need."""

    target: Target
    workload: Workload
    trust: TlsTrust

    def answer(self, access: Access) -> Answer:
        return Answer(is_healthy=self._is_healthy(access.port))

    def _is_healthy(self, port: int) -> bool:
        try:
            if self.target.protocol == "grpc":
                with self.trust.channel(port, [("grpc.enable_http_proxy", 0)]) as channel:
                    health: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                        "/grpc.health.v1.Health/Check"
                    )
                    return bool(health(b"", timeout=2) == b"\x08\x01")
            with contextlib.closing(https(port, self.trust)) as connection:
                connection.request("GET", _health_path(self.workload))
                return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException, grpc.RpcError):
            return False


def _health_path(workload: Workload) -> str:
    assert workload.declared.health.http is not None
    return workload.declared.health.http.path


def https(port: int, trust: TlsTrust) -> http.client.HTTPSConnection:
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=15, context=trust.context("http/1.1"))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, not found")
    folder = tmp_path_factory.mktemp("tls")
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    subprocess.run(
        f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
        f" -addext subjectAltName=IP:127.0.0.1 -keyout {made.key} -out {made.certificate}".split(),
        check=True,
        capture_output=True,
    )
    return made


@pytest.fixture(scope="module", params=TARGETS)
def secured(
    request: pytest.FixtureRequest,
    project: Project,
    server: Server,
    certificate: Certificate,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Secured]:
    target, workload = target_named(project, request.param), load_workload(project, "events")
    missing = [setting for setting in SETTINGS if setting not in target.manifest.settings]
    if missing:
        pytest.skip(f"the target.toml of {target.name} has no setting {', '.join(missing)}")
    values = dict(zip(SETTINGS, (str(certificate.certificate), str(certificate.key), TOKEN), strict=True))
    settings = {target.setting_variable(name): value for name, value in values.items()}
    fresh_table(workload, server)
    port, log = ports.free_port(), tmp_path_factory.mktemp("logs") / "target.log"
    health = SecureHealth(target, workload, certificate.trust)
    with start(target, project, server, port, log, settings, health):
        yield Secured(target, workload, port, certificate.trust)


class SecureHttp:
    """Sends cases through TLS, with the token."""

    def __init__(self, secured: Secured) -> None:
        self._secured = secured

    def send(self, request: HttpRequest) -> HttpReply:
        headers = {name: ", ".join(values) for name, values in request.headers.items() if values}
        headers["authorization"] = f"Bearer {TOKEN}"
        with contextlib.closing(https(self._secured.port, self._secured.trust)) as connection:
            connection.request(request.method, request.path, request.body, headers)
            reply = connection.getresponse()
            return HttpReply(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())


class SecureGrpc:
    """Sends cases through TLS, with the token."""

    def __init__(self, secured: Secured) -> None:
        self._secured = secured

    def send(self, request: GrpcRequest) -> GrpcReply:
        with self._secured.trust.channel(self._secured.port, [("grpc.enable_http_proxy", 0)]) as channel:
            method: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(f"/{request.method}")
            call = method(iter(request.payloads), timeout=15, metadata=(("authorization", f"Bearer {TOKEN}"),))
            payloads: list[bytes] = []
            with contextlib.suppress(grpc.RpcError):
                payloads.extend(call)
            return GrpcReply(call.code().name, call.details() or "", tuple(payloads))


def test_the_contract_holds_through_tls_and_with_the_token(secured: Secured, server: Server) -> None:
    workload = secured.workload
    speaker: HttpProtocol | GrpcProtocol
    if secured.target.protocol == "grpc":
        speaker = GrpcProtocol(workload, codec_of(workload), SecureGrpc(secured).send)
    else:
        speaker = HttpProtocol(workload, SecureHttp(secured).send)
    audit = workload.sql("audit")
    assert audit is not None
    with server.connect() as connection:
        results = run_cases(load_cases(workload, SUBJECTS), speaker, PostgresRows(connection, audit))

    assert results
    profile = required_profile(secured.target)
    assert [(result.case, result.breaks(profile)) for result in results if result.breaks(profile)] == []


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN[:-1], TOKEN + "~"])
def test_without_the_token_a_request_is_refused(secured: Secured, token: str | None) -> None:
    with secured.clients(token) as clients:
        answer = clients.answer(event("refused"))

    assert (answer.outcome, answer.message) == (Outcome.UNAUTHENTICATED, REFUSAL)


def test_the_token_is_looked_at_before_the_path_and_the_body(secured: Secured) -> None:
    if secured.target.protocol == "grpc":
        with secured.trust.channel(secured.port, [("grpc.enable_http_proxy", 0)]) as channel:
            nothing: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/nowhere.Service/Nothing")
            with pytest.raises(grpc.RpcError) as refused:
                nothing(b"\xff", timeout=15)
            # A library's own interceptors may see known methods alone; the core profile allows its answer.
            library = {grpc.StatusCode.UNIMPLEMENTED} if secured.target.target_class == STANDARD else set()
            assert refused.value.code() in {grpc.StatusCode.UNAUTHENTICATED, *library}
        return
    for method, path in [("POST", "/nowhere"), ("GET", "/api/v1/events"), ("POST", "/api/v1/events/bulk")]:
        with contextlib.closing(https(secured.port, secured.trust)) as connection:
            connection.request(method, path, b"no JSON")
            reply = connection.getresponse()
            assert (reply.status, reply.getheader("www-authenticate")) == (401, "Bearer")


def test_plain_text_is_refused_and_does_no_harm(secured: Secured) -> None:
    with socket.create_connection(("127.0.0.1", secured.port), timeout=15) as connection:
        connection.sendall(b"GET /api/v1/events/health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while more := connection.recv(4_096):
                received += more
    assert b"healthy" not in received
    with secured.clients(TOKEN) as clients:
        assert clients.answer(event("afterwards")).outcome is Outcome.STORED


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_protocols_are_chosen_by_alpn(secured: Secured, version: ssl.TLSVersion) -> None:
    offers = [("h2",)] if secured.target.protocol == "grpc" else [("h2",), ("http/1.1",), ("h2", "http/1.1")]
    for offer in offers:
        context = secured.trust.context(*offer)
        context.minimum_version = context.maximum_version = version
        with (
            socket.create_connection(("127.0.0.1", secured.port), timeout=15) as connection,
            context.wrap_socket(connection, server_hostname="127.0.0.1") as secure,
        ):
            assert secure.selected_alpn_protocol() == offer[0]
            if offer[0] == "h2":
                secure.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000"))
                frame_header = secure.recv(9)
                assert frame_header[3] == 4, "HTTP/2 begins with SETTINGS"
