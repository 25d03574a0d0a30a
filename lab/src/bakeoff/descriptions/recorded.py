"""Requests that somebody sent, from a command line or a browser, as operations of a workload."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP
from urllib.parse import parse_qsl, urlencode, urlsplit

from bakeoff.documents.checked import Json

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
# What the client sets itself, or what only a browser needs.
_OWN = {
    *("host", "connection", "content-length", "transfer-encoding", "accept-encoding", "keep-alive", "te", "upgrade"),
    *("user-agent", "referer", "origin", "dnt", "priority", "pragma", "cache-control", "upgrade-insecure-requests"),
    *("if-none-match", "if-modified-since", "accept-language", "cookie", "purpose", "x-requested-with-browser"),
}


@dataclass(frozen=True)
class File:
    """A file of a form; without a name a part with a media type, such as JSON."""

    name: str | None
    content: bytes
    content_type: str = "application/octet-stream"


@dataclass(frozen=True)
class RecordedRequest:
    """A request: `body` as it was sent, or `parts` of a form with files."""

    method: str
    url: str
    headers: Sequence[tuple[str, str]] = ()
    body: bytes | None = None
    parts: Sequence[tuple[str, str | File]] = ()

    @property
    def origin(self) -> str:
        """Scheme, host and port, without a user."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    @property
    def path(self) -> str:
        """The path with its query, as it is sent."""
        parts = urlsplit(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    @property
    def content_type(self) -> str:
        """The type of the body, in lower case and without parameters; empty where none is said."""
        return self.header("content-type").partition(";")[0].strip().lower()

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    def without_browser(self) -> "RecordedRequest":
        """The request without the headers that a browser adds."""
        kept = [each for each in self.headers if not each[0].lower().startswith(("sec-", ":", "x-client-data"))]
        kept = [each for each in kept if each[0].lower() not in _OWN]
        return RecordedRequest(self.method, self.url, kept, self.body, self.parts)


def operation_of(name: str, request: RecordedRequest, expect: int) -> dict[str, Json]:
    """The entry of `operations` that sends a request as it was sent."""
    message = _message(request)
    kind, text = message or ("json", None)
    implied = {"json": "application/json", "form": FORM, "multipart": MULTIPART}.get(kind)
    headers: dict[str, Json] = {
        key: literal(value)
        for key, value in request.headers
        if key.lower() != "content-length" and not (key.lower() == "content-type" and request.content_type == implied)
    }
    call: dict[str, Json] = {"method": request.method, "path": literal(request.path), "expect": expect}
    call |= {"headers": headers} if headers else {}
    entry: dict[str, Json] = {"name": name}
    entry |= {"body": kind} if text is not None and kind != "json" else {}
    entry |= {"message": text} if text is not None else {}
    return {**entry, "http": call}


def literal(text: str) -> str:
    """A text in which no slot begins: what was recorded is sent as it is."""
    return text.replace("${", "%24%7B" if text.startswith("/") else "$ {")


def _message(request: RecordedRequest) -> tuple[str, str] | None:
    """The kind of a body, and its message; None for none."""
    if request.parts:
        values: dict[str, Json] = {}
        for name, part in request.parts:
            value: Json = part if isinstance(part, str) else _file(part)
            known = values.get(name)
            values[name] = value if known is None else [*(known if isinstance(known, list) else [known]), value]
        return "multipart", _json(values)
    if request.body is None:
        return None
    if request.content_type in ("", "application/json") or request.content_type.endswith("+json"):
        try:
            return "json", _json(json.loads(request.body))
        except ValueError:
            pass
    try:
        text = request.body.decode()
    except UnicodeDecodeError:
        return "binary", base64.b64encode(request.body).decode()
    if request.content_type == FORM and (fields := _fields(text)) is not None:
        return "form", _json(fields)
    return "text", literal(text)


def _file(part: File) -> Mapping[str, Json]:
    written: dict[str, Json] = {} if part.name is None else {"filename": part.name}
    written["content_type"] = part.content_type
    try:
        # A part without a name is data, which a person may want to change.
        return {**written, "text": part.content.decode()} if part.name is None else _encoded(written, part)
    except UnicodeDecodeError:
        return _encoded(written, part)


def _encoded(written: Mapping[str, Json], part: File) -> Mapping[str, Json]:
    return {**written, "base64": base64.b64encode(part.content).decode()}


def parts_in(content_type: str, body: bytes) -> list[tuple[str, str | File]]:
    """The parts of a multipart form, by the boundary that its type names."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    found: list[tuple[str, str | File]] = []
    for part in BytesParser(policy=HTTP).parsebytes(head + body).iter_parts():
        name, filename = (part.get_param(each, header="content-disposition") for each in ("name", "filename"))
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            continue
        if isinstance(filename, str) or "content-type" in part:
            named = filename if isinstance(filename, str) else None
            found.append((name, File(named, content, part.get_content_type())))
        else:
            found.append((name, content.decode("utf-8", "replace")))
    return found


def _fields(text: str) -> Mapping[str, Json] | None:
    """The fields of a form, each once; None where writing them again would give another text."""
    pairs = parse_qsl(text, keep_blank_values=True)
    names = [name for name, _ in pairs]
    is_same = parse_qsl(urlencode(pairs), keep_blank_values=True) == pairs and text.count("&") == len(pairs) - 1
    return dict(pairs) if pairs and is_same and len(set(names)) == len(names) else None


def _json(value: Json) -> str:
    """JSON in which no slot begins."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("${", "\\u0024{")
