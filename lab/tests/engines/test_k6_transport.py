"""The k6 engine over TLS, and with headers of the plan's own, to both protocols alike."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from k6_harness import Outcome, Record, iterations, plan_for, run_engine
from k6_servers import Server, grpc_server, http_server

from certificates import NAME, Certificate, self_signed

HEADERS = {"authorization": "Bearer a.b-c", "x-tenant": "7"}
TRANSPORTS = pytest.mark.parametrize(("protocol", "serve"), [("http", http_server), ("grpc", grpc_server)])

Serve = Callable[..., AbstractContextManager[Server]]


@TRANSPORTS
def test_headers_of_the_plan_go_with_every_request(tmp_path: Path, protocol: str, serve: Serve) -> None:
    with serve() as server:
        outcome = run_engine(tmp_path, plan_for(protocol, server.port, iterations(3), transport={"headers": HEADERS}))
    assert outcome.of("phase_end")[0]["ok"] == 3
    assert all(HEADERS.items() <= seen.headers.items() for seen in server.seen)


@TRANSPORTS
def test_requests_travel_encrypted(tmp_path: Path, protocol: str, serve: Serve) -> None:
    certificate = self_signed(tmp_path)
    with serve(certificate=certificate) as server:
        outcome = over_tls(tmp_path, protocol, server.port, {"ca_file": str(certificate.file), "server_name": NAME})
    assert outcome.of("phase_end")[0]["ok"] == len(server.seen) == 3, outcome.records
    if protocol == "http":
        assert {seen.headers["host"] for seen in server.seen} == {f"{NAME}:{server.port}"}


@TRANSPORTS
@pytest.mark.parametrize("wrong", ["another authority", "another name"])
def test_a_target_that_cannot_prove_who_it_is_gets_no_request(
    tmp_path: Path, protocol: str, serve: Serve, wrong: str
) -> None:
    certificate = self_signed(tmp_path)
    with serve(certificate=certificate) as server:
        # k6 tries to connect over gRPC until the time is over, for each request.
        plan = plan_for(
            protocol,
            server.port,
            iterations(1),
            timeout_ms=2_000,
            transport={"tls": wrong_tls(tmp_path, certificate, wrong)},
        )
        outcome = run_engine(tmp_path, plan)
    assert outcome.of("phase_end")[0]["errors"] == {"certificate": 1}
    assert server.seen == []


def wrong_tls(folder: Path, certificate: Certificate, wrong: str) -> Record:
    if wrong == "another name":
        return {"ca_file": str(certificate.file), "server_name": "other.test"}
    (folder / "other").mkdir()
    return {"ca_file": str(self_signed(folder / "other").file), "server_name": NAME}


def over_tls(folder: Path, protocol: str, port: int, tls: Record) -> Outcome:
    return run_engine(folder, plan_for(protocol, port, iterations(3), transport={"tls": tls}))
