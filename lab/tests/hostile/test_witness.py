"""The client that behaves, against a server over TLS."""

import http.server
import ssl
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.hostile import witness
from bakeoff.hostile.witness import SampleRequest, SampleRequests, Witness, _over_http
from bakeoff.targets.access import Access
from bakeoff.targets.security import lab_certificate
from bakeoff.workload.plan_records import PlannedTls
from made_up_manifests import workload

REQUEST = SampleRequest("POST", "/things", {}, b"{}", "")
STATUS = {"name": "Status", "http": {"method": "GET", "path": "/status", "expect": 200}}
CREATE = {"name": "Create", "http": {"method": "POST", "path": "/things", "expect": 200}, "message": "{}"}
CREATE_MORE = {**CREATE, "name": "More", "http": {"method": "POST", "path": "/more", "expect": 200}}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_it_speaks_tls_where_the_target_does(tmp_path: Path) -> None:
    certificate = lab_certificate(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate.certificate, certificate.key)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        access = Access("127.0.0.1", server.server_port, PlannedTls(ca_file=str(certificate.authority)))
        answered = [_over_http(access)(REQUEST), _over_http(replace(access, tls=None))(REQUEST)]
        server.shutdown()
        thread.join()
    assert answered == [True, False]


@pytest.mark.parametrize(
    ("operations", "path"),
    [
        ([STATUS, {**CREATE, "weight": 0}, CREATE_MORE], "/more"),
        ([{**CREATE_MORE, "needs": "thing"}, {**CREATE, "creates": "thing"}], "/things"),
        ([STATUS], "/status"),
    ],
)
def test_it_sends_what_has_a_body_and_needs_nothing(operations: list[dict[str, Any]], path: str) -> None:
    requests = SampleRequests(workload(operations=operations, database="none"), "rest", Access("127.0.0.1", 80))
    assert requests.make(0).path == path


@pytest.mark.parametrize(("refused", "unanswered"), [(1, 0), (4, 1)])
def test_what_is_refused_before_the_connections_come_is_not_their_work(
    refused: int, unanswered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = SampleRequests(workload(operations=[CREATE], database="none"), "rest", Access("127.0.0.1", 80))
    asked: list[SampleRequest] = []
    after_warm_up = threading.Event()

    def ask(request: SampleRequest) -> bool:
        asked.append(request)
        if len(asked) == 5:
            after_warm_up.set()
        return len(asked) != refused

    monkeypatch.setattr(witness, "_WARM_UP_REQUESTS", 3)
    monkeypatch.setattr(witness, "_over_http", lambda _access: ask)
    with Witness(requests, "rest", Access("127.0.0.1", 80)) as client:
        assert after_warm_up.wait(60)
    assert client.unanswered == unanswered
