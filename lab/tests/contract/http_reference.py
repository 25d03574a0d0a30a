"""The model over HTTP."""

from collections.abc import Mapping
from types import MappingProxyType

from events import Rules
from json_reader import JsonError, Members, read_json
from reference import INTERNAL, STORED, BrokenRuleError, BulkEvent, Reference, as_json
from stored_state import NotStorableError

from bakeoff.conformance.exchange import HttpReply, HttpRequest

_EVENTS = "/api/v1/events"
_ROUTES = {_EVENTS: "POST", f"{_EVENTS}/bulk": "POST", f"{_EVENTS}/health": "GET"}
_STATUSES = {
    "invalid": 400,
    "unknown path": 404,
    "wrong method": 405,
    "too large": 413,
    "wrong media": 415,
    "unauthenticated": 401,
}


class HttpReference:
    """Answers HTTP requests as the contract says, less the rules that the model lacks."""

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._rules: Rules = reference.rules

    def send(self, request: HttpRequest) -> HttpReply:
        """The reply to one request."""
        try:
            return self._reply(200, self._serve(request))
        except BrokenRuleError as broken:
            body = as_json({"success": False, "message": broken.message})
            return self._reply(_STATUSES[broken.kind], body, broken.headers)
        except NotStorableError:
            return self._reply(500, as_json({"success": False, "message": INTERNAL}))

    def _reply(self, status: int, body: bytes, extra: Mapping[str, str] = MappingProxyType({})) -> HttpReply:
        media_type = "application/json; charset=utf-8" if "reply-media-type" in self._rules else "text/plain"
        return HttpReply(status, {"content-type": media_type, **extra}, body)

    def _serve(self, request: HttpRequest) -> bytes:
        if not self._is_exempt(request):
            self._reference.check_token(request.headers.get("authorization", ()))
        path = self._route(request)
        if path.endswith("/health"):
            return as_json(self._reference.health())
        self._check_headers(request)
        is_bulk = path.endswith("/bulk")
        body = request.body or b""
        if "transfer-encoding" not in request.headers or "chunked-size" in self._rules:
            problem = self._reference.size_problem(len(body), is_bulk=is_bulk)
            if problem is not None:
                raise problem
        try:
            text = self._decoded(body)
            document = read_json(text)
        except JsonError:
            if "json-syntax" not in self._rules:
                return as_json({"success": True, "message": STORED})
            raise BrokenRuleError("invalid", "body: not valid JSON") from None
        return self._bulk(document, text) if is_bulk else self._single(document)

    def _is_exempt(self, request: HttpRequest) -> bool:
        """Whether a request needs no token."""
        if "health-without-token" not in self._rules:
            return False
        if "health-path-without-token" not in self._rules:
            return request.method == "GET" and "health" in request.path
        return request.path.split("?")[0] == f"{_EVENTS}/health"

    def _route(self, request: HttpRequest) -> str:
        path = request.path.split("?")[0] if "query-ignored" in self._rules else request.path
        if "exact-path" not in self._rules:
            path = path.rstrip("/").lower()
        if path not in _ROUTES:
            if "unknown-path" in self._rules:
                raise BrokenRuleError("unknown path", "path: not found")
            path = _EVENTS
        # What can be got can be asked for its head (RFC 9110).
        method = "GET" if request.method == "HEAD" and "health-by-head" in self._rules else request.method
        if method != _ROUTES[path] and "wrong-method" in self._rules:
            headers = {"allow": _ROUTES[path]} if "allow-header" in self._rules else {}
            raise BrokenRuleError("wrong method", "method: not allowed", headers)
        return path

    def _check_headers(self, request: HttpRequest) -> None:
        media_type = "".join(request.headers.get("content-type", ()))
        if "media-type-parameters" in self._rules:
            media_type = media_type.split(";")[0].strip()
        if "media-type-any-case" in self._rules:
            media_type = media_type.lower()
        if media_type != "application/json" and "media-type" in self._rules:
            raise BrokenRuleError("wrong media", "content-type: must be application/json")
        coding = request.headers.get("content-encoding", ())
        accepted: list[tuple[str, ...]] = [(), ("identity",)] if "identity-coding" in self._rules else [()]
        if coding not in accepted and "content-coding" in self._rules:
            raise BrokenRuleError("wrong media", "content-encoding: must be identity")

    def _decoded(self, body: bytes) -> str:
        try:
            return body.decode()
        except UnicodeDecodeError:
            if "utf-8" in self._rules:
                raise BrokenRuleError("invalid", "body: not valid UTF-8") from None
            return body.decode(errors="replace")

    def _single(self, document: object) -> bytes:
        if not isinstance(document, Members):
            if "body-kind" in self._rules:
                raise BrokenRuleError("invalid", "body: must be an object")
            document = document[0] if isinstance(document, list) else Members()
        self._reference.process(document)
        return as_json({"success": True, "message": STORED})

    def _bulk(self, document: object, text: str) -> bytes:
        if not isinstance(document, list):
            if "body-kind" in self._rules:
                raise BrokenRuleError("invalid", "body: must be an array")
            document = [document]
        events = [BulkEvent(element, _size(element, text)) for element in document]
        return as_json(self._reference.process_bulk(events))


def _size(element: object, text: str) -> int:
    return len(text[element.begin : element.end].encode()) if isinstance(element, Members) else 0
