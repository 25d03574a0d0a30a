"""A case over HTTP: its request, and the comparison of the reply."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from bakeoff.conformance import exact_json
from bakeoff.conformance.calls import HttpTable, first_of, http_table
from bakeoff.conformance.case import Call, Case, Exchange, Headers, HttpExpectation, HttpSide
from bakeoff.conformance.exchange import HttpReply, HttpRequest
from bakeoff.conformance.matching import compare_http, http_differences
from bakeoff.documents.checked import Json
from bakeoff.workload.bodies import CONTENT_TYPES, ENCODED, BodyError, encoded
from bakeoff.workload.declaration import HttpBatch, HttpCall, HttpHealth
from bakeoff.workload.loader import Workload

SendHttp = Callable[[HttpRequest], HttpReply]
SendHttpInTurn = Callable[[Sequence[HttpRequest]], Iterator[HttpReply]]

# Keeps the caller from sending the token that it has.
_NO_TOKEN: Headers = {"authorization": ()}


class HttpProtocol:
    side = "http"

    def __init__(self, workload: Workload, send: SendHttp, send_in_turn: SendHttpInTurn | None = None) -> None:
        self._workload = workload
        self._send = send
        self._send_in_turn = send_in_turn or partial(map, send)

    def store(self, message: Json) -> list[str]:
        return compare_http(self._stored, self._send(self._storing(message)))

    def store_in_turn(self, messages: Sequence[Json]) -> Iterator[list[str]]:
        replies = self._send_in_turn([self._storing(each) for each in messages])
        return (compare_http(self._stored, reply) for reply in replies)

    def _storing(self, message: Json) -> HttpRequest:
        table = http_table(self._workload, Call.SINGLE)
        body = self._workload.declared.operations[0].body
        return HttpRequest(table.method, table.path, _headers(body), _encoded(body, message))

    @property
    def _stored(self) -> HttpExpectation:
        return HttpExpectation(int(first_of(http_table(self._workload, Call.SINGLE))))

    def exchange(self, case: Case) -> Exchange:
        side = case.http
        if side is None:
            raise ValueError(f"{case.name} has no HTTP side")
        reply = self._send(self.request(case, side))
        return Exchange(http_differences(side.expect, reply), _document(reply.body), reply.headers)

    def request(self, case: Case, side: HttpSide) -> HttpRequest:
        table = http_table(self._workload, case.call)
        kind = case.body or self._workload.declared.operations[0].body
        kind = kind if isinstance(table, HttpCall) else "json"
        body = _body(case, side, table, kind)
        headers = {**(_headers(kind) if body is not None else {}), **(_NO_TOKEN if case.token else {})}
        if isinstance(table, HttpHealth):
            headers |= {name.lower(): (value,) for name, value in table.headers.items()}
        headers |= {name.lower(): values for name, values in side.headers.items()}
        return HttpRequest(side.method or table.method, side.path or table.path, headers, body)


def _document(body: bytes) -> Json:
    """The JSON of a body; None where it is none."""
    try:
        document: Json = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return document


def _headers(body: str) -> dict[str, tuple[str, ...]]:
    return {"content-type": (CONTENT_TYPES[body],)}


def _encoded(body: str, message: Json) -> bytes:
    """A message as a body of this kind; one that does not fit, such as a text for a form, as JSON."""
    if body not in ENCODED:
        return exact_json.dumps(message)
    try:
        return encoded(body, message)
    except BodyError:
        return exact_json.dumps(message)


def _body(case: Case, side: HttpSide, table: HttpTable, kind: str) -> bytes | None:
    if side.body is not None:
        return exact_json.dumps(side.body.document) if side.body.content is None else side.body.content
    if case.message is None:
        return None
    if not isinstance(table, HttpBatch):
        return _encoded(kind, case.message)
    messages = table.separator.encode().join(exact_json.dumps(message) for message in case.messages)
    return table.open.encode() + messages + table.close.encode()
