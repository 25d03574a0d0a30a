"""A case over HTTP: its request, and the comparison of the reply."""

from collections.abc import Callable
from typing import Any

from bakeoff.conformance import exact_json
from bakeoff.conformance.calls import call_table
from bakeoff.conformance.case import BytesPayload, Call, Case, HttpExpectation, HttpSide
from bakeoff.conformance.exchange import HttpReply, HttpRequest
from bakeoff.conformance.matching import compare_http
from bakeoff.documents import Document
from bakeoff.workload.loader import Workload

SendHttp = Callable[[HttpRequest], HttpReply]

_JSON_HEADERS = {"content-type": "application/json"}


class HttpProtocol:
    """Sends cases as the workload's http tables say."""

    def __init__(self, workload: Workload, send: SendHttp) -> None:
        self._workload = workload
        self._send = send

    def expresses(self, case: Case) -> bool:
        """Whether the case has an HTTP side."""
        return case.http is not None

    def store(self, message: Any) -> list[str]:
        """Sends a message that a case needs to be there already; differences say why it was not taken."""
        operation = self._table(Call.SINGLE)
        reply = self._send(_request(operation, None, exact_json.dumps(message)))
        return compare_http(HttpExpectation(int(operation["expect"]), {}, None), reply)

    def perform(self, case: Case) -> list[str]:
        """Sends the case's request and compares the reply."""
        side = case.http
        if side is None:
            raise ValueError(f"{case.name} has no HTTP side")
        return compare_http(side.expect, self._send(self.request(case, side)))

    def request(self, case: Case, side: HttpSide) -> HttpRequest:
        """The request of a case, in all its bytes."""
        table = self._table(case.call)
        return _request(table, side, _body(case, side, table))

    def _table(self, call: Call) -> Document:
        return call_table(self._workload, call, "http")


def _request(table: Document, side: HttpSide | None, body: bytes | None) -> HttpRequest:
    headers: dict[str, str | None] = dict(_JSON_HEADERS) if body is not None else {}
    if side is not None:
        headers |= {name.lower(): value for name, value in side.headers.items()}
    return HttpRequest(
        (side.method if side else None) or str(table["method"]),
        (side.path if side else None) or str(table["path"]),
        {name: value for name, value in headers.items() if value is not None},
        body,
    )


def _body(case: Case, side: HttpSide, table: Document) -> bytes | None:
    if isinstance(side.body, BytesPayload):
        return side.body.content
    if side.body is not None:
        return exact_json.dumps(side.body.document)
    if case.message is None:
        return None
    if case.call is not Call.BATCH:
        return exact_json.dumps(case.message)
    separator = str(table.get("separator", ",")).encode()
    messages = separator.join(exact_json.dumps(message) for message in case.message)
    return str(table.get("open", "[")).encode() + messages + str(table.get("close", "]")).encode()
