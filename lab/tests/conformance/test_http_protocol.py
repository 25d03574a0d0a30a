from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from key_value_workload import key_value_case, key_value_workload

from bakeoff.conformance import exact_json
from bakeoff.conformance.case import Call, Differences, HttpExpectation, HttpSide, Payload
from bakeoff.conformance.exchange import HttpReply, HttpRequest
from bakeoff.conformance.http_protocol import HttpProtocol
from bakeoff.errors import BakeoffError

JSON = {"content-type": ("application/json",)}


class Server:
    """Gives one reply, and remembers the request."""

    def __init__(self, status: int = 200, body: bytes = b"{}") -> None:
        self._reply = HttpReply(status, {}, body)
        self.request: HttpRequest | None = None

    def __call__(self, request: HttpRequest) -> HttpReply:
        self.request = request
        return self._reply


def side(
    method: str | None = None,
    path: str | None = None,
    headers: dict[str, tuple[str, ...]] | None = None,
    body: Payload | None = None,
) -> HttpSide:
    return HttpSide(HttpExpectation(200, {}, {}), method, path, headers or {}, body)


@pytest.mark.parametrize(
    ("call", "message", "http", "request_"),
    [
        (Call.SINGLE, exact_json.loads('{"k": 0.10}'), side(), HttpRequest("PUT", "/items", JSON, b'{"k":0.10}')),
        (Call.BATCH, [1, 2], side(), HttpRequest("POST", "/items/all", JSON, b'{"all":[1;2]}')),
        (Call.HEALTH, None, side(), HttpRequest("GET", "/up", {}, None)),
        (Call.SINGLE, None, side("DELETE", "/x"), HttpRequest("DELETE", "/x", {}, None)),
        (Call.SINGLE, 1, side(body=Payload(content=b"\xff")), HttpRequest("PUT", "/items", JSON, b"\xff")),
        (Call.BATCH, [1], side(body=Payload({"a": 1})), HttpRequest("POST", "/items/all", JSON, b'{"a":1}')),
        (
            Call.SINGLE,
            1,
            side(headers={"Content-Type": (), "X-A": ("b", "c")}),
            HttpRequest("PUT", "/items", {"content-type": (), "x-a": ("b", "c")}, b"1"),
        ),
    ],
)
def test_the_request_of_a_case(call: Call, message: Any, http: HttpSide, request_: HttpRequest, tmp_path: Path) -> None:
    server = Server()
    protocol = HttpProtocol(key_value_workload(tmp_path), server)

    assert protocol.exchange(key_value_case(call=call, message=message, http=http)).differences == Differences()
    assert server.request == request_


def test_a_stored_message_must_be_answered_as_the_workload_says(tmp_path: Path) -> None:
    workload = key_value_workload(tmp_path)

    assert HttpProtocol(workload, Server(201)).store({"k": 1}) == []
    assert HttpProtocol(workload, Server(200, b"no")).store({"k": 1}) == [
        "status: expected 201, got 200",
        'body: got "no"',
    ]


@pytest.mark.parametrize(("own", "sent"), [({}, ()), ({"Authorization": ("Bearer ${token}", "x")}, ("Bearer t", "x"))])
def test_a_case_that_needs_a_token_carries_its_own_and_no_other(
    own: dict[str, tuple[str, ...]], sent: tuple[str, ...], tmp_path: Path
) -> None:
    server = Server()
    case = replace(key_value_case(message=1, http=side(headers=own)), token=True)

    assert (
        HttpProtocol(key_value_workload(tmp_path), server).exchange(case.with_token("t")).differences == Differences()
    )
    assert server.request is not None
    assert server.request.headers["authorization"] == sent


def test_a_call_that_the_workload_does_not_have(tmp_path: Path) -> None:
    protocol = HttpProtocol(key_value_workload(tmp_path), Server())

    with pytest.raises(BakeoffError, match=r"a case makes a stream call, but the workload has no http for it"):
        protocol.exchange(key_value_case(call=Call.STREAM, http=side()))
