"""The model over HTTP."""

from collections.abc import Callable

from events import Rules
from json_reader import JsonError, Members, read_json
from reference import INTERNAL, STORED, Broken, BulkEvent, Reference, as_json

from bakeoff.conformance.exchange import HttpReply, HttpRequest

_EVENTS = "/api/v1/events"
_ROUTES = {_EVENTS: "POST", f"{_EVENTS}/bulk": "POST", f"{_EVENTS}/health": "GET"}
_STATUSES = {"invalid": 400, "unknown path": 404, "wrong method": 405, "too large": 413, "wrong media": 415}


class HttpReference:
    """Answers HTTP requests as the contract says, less the rules that the model lacks."""

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._rules: Rules = reference.rules

    def send(self, request: HttpRequest) -> HttpReply:
        """The reply to one request."""
        try:
            return self._reply(200, self._serve(request))
        except Broken as broken:
            status = _STATUSES[broken.kind]
            extra = {"allow": broken.args[1]} if len(broken.args) > 1 else {}
            return self._reply(status, as_json({"success": False, "message": broken.message}), extra)
        except RecursionError:
            return self._reply(500, as_json({"success": False, "message": INTERNAL}))

    def _reply(self, status: int, body: bytes, extra: dict[str, str] | None = None) -> HttpReply:
        media_type = "application/json; charset=utf-8" if "reply-media-type" in self._rules else "text/plain"
        return HttpReply(status, {"content-type": media_type, **(extra or {})}, body)

    def _serve(self, request: HttpRequest) -> bytes:
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
            self._check_syntax_late(text)
            document = read_json(text)
        except JsonError:
            if "json-syntax" not in self._rules:
                return as_json({"success": True, "message": STORED})
            raise Broken("invalid", "body: not valid JSON") from None
        return self._bulk(document, text) if is_bulk else self._single(document)

    def _route(self, request: HttpRequest) -> str:
        path = request.path.split("?")[0] if "query-ignored" in self._rules else request.path
        if "exact-path" not in self._rules:
            path = path.rstrip("/").lower()
        if path not in _ROUTES:
            if "unknown-path" in self._rules:
                raise Broken("unknown path", "path: not found")
            path = _EVENTS
        if request.method != _ROUTES[path] and "wrong-method" in self._rules:
            broken = Broken("wrong method", "method: not allowed")
            if "allow-header" in self._rules:
                broken.args = (broken.message, _ROUTES[path])
            raise broken
        return path

    def _check_headers(self, request: HttpRequest) -> None:
        media_type = request.headers.get("content-type", "")
        if "media-type-parameters" in self._rules:
            media_type = media_type.split(";")[0].strip()
        if "media-type-any-case" in self._rules:
            media_type = media_type.lower()
        if media_type != "application/json" and "media-type" in self._rules:
            raise Broken("wrong media", "content-type: must be application/json")
        coding = request.headers.get("content-encoding")
        accepted = [None, "identity"] if "identity-coding" in self._rules else [None]
        if coding not in accepted and "content-coding" in self._rules:
            raise Broken("wrong media", "content-encoding: must be identity")

    def _decoded(self, body: bytes) -> str:
        try:
            return body.decode()
        except UnicodeDecodeError:
            if "utf-8" in self._rules:
                raise Broken("invalid", "body: not valid UTF-8") from None
            return body.decode(errors="replace")

    def _check_syntax_late(self, text: str) -> None:
        """A target that reports what it meets first, and the end of the text last."""
        if "syntax-before-rules" not in self._rules and "eventHeader" not in text:
            raise Broken("invalid", "eventHeader: required")

    def _single(self, document: object) -> bytes:
        if not isinstance(document, Members):
            if "body-kind" in self._rules or not isinstance(document, list):
                raise Broken("invalid", "body: must be an object")
            document = document[0]
        self._reference.process(document)
        return as_json({"success": True, "message": STORED})

    def _bulk(self, document: object, text: str) -> bytes:
        if not isinstance(document, list):
            if "body-kind" in self._rules:
                raise Broken("invalid", "body: must be an array")
            document = [document]
        sizes = element_sizes(text)
        events = [BulkEvent(event, size) for event, size in zip(document, sizes, strict=False)]
        return as_json(self._reference.process_bulk(events))


def element_sizes(text: str, measure: Callable[[str], int] = lambda part: len(part.encode())) -> list[int]:
    """The size of each element of an array, from its first byte to its last."""
    sizes: list[int] = []
    depth, start, in_string, escaped = 0, 0, False, False
    for position, character in enumerate(text):
        if in_string:
            in_string = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            in_string = True
        elif character in "{[":
            depth += 1
            if depth == 2 and character == "{":
                start = position
        elif character in "}]":
            if depth == 2 and character == "}":
                sizes.append(measure(text[start : position + 1]))
            depth -= 1
    return sizes
