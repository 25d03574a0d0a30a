"""A workload from what a browser recorded (HAR): a session of its requests, with values that earlier replies showed.

The requests of one host are taken, without its static files: those of trackers and of others are counted.
"""

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from bakeoff.descriptions.json_members import list_in, number_in, object_in, objects_of, text_in
from bakeoff.descriptions.media_types import essence, smallest_file, type_of_name
from bakeoff.descriptions.recorded import MULTIPART, File, RecordedRequest, operation_of, parts_in
from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError

_STATIC_TYPES = ("image/", "font/", "audio/", "video/", "text/css", "text/javascript", "application/javascript")
_STATIC_ENDS = re.compile(
    r"\.(?:css|js|mjs|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|eot|mp4|webm|wasm)$", re.IGNORECASE
)
_ID_NAME = re.compile(
    r"(?:.*[_-])?(?:id|uuid|guid|key|slug|token|code|ref|number|handle|etag|version|csrf)s?|.*(?:Id|Token|Key)"
)
_LONG = 6
_MOST_STEPS = 200
_REDIRECTED = 304


@dataclass(frozen=True)
class RecordedSession:
    """The operations of a recorded session, in order as `steps`; `address` is where they were sent."""

    address: str
    operations: Sequence[Mapping[str, Json]]
    steps: Sequence[str]
    uses_cookies: bool
    notes: Sequence[str]


@dataclass
class _Entry:
    request: RecordedRequest
    status: int
    reply: Json
    reply_type: str
    location: str
    sets_cookie: bool

    @property
    def is_static(self) -> bool:
        path = urlsplit(self.request.url).path
        is_read = self.request.method == "GET"
        return is_read and (self.reply_type.startswith(_STATIC_TYPES) or _STATIC_ENDS.search(path) is not None)


@dataclass
class _Shown:
    """A value that a reply showed: the step, and where it stands."""

    step: int
    place: str
    name: str


def import_har(file: Path) -> RecordedSession:
    """Raises UsageError where the file is no HAR, or has no request that can be sent."""
    entries = list(_entries(file))
    if not entries:
        raise UsageError(f"{file} has no requests over HTTP. Record the session once more, and save it as HAR.")
    address = _main_address(entries)
    own = [each for each in entries if each.request.origin == address]
    kept = [each for each in own if not each.is_static and each.request.method != "OPTIONS"]
    if not kept:
        raise UsageError(f"{file} has nothing but static files of {address}.")
    notes = list(_left_out(entries, own, kept, address))
    if len(kept) > _MOST_STEPS:
        notes.append(f"The first {_MOST_STEPS} of {len(kept)} requests are taken.")
    return _Session(kept[:_MOST_STEPS], address, notes).recorded()


def _entries(file: Path) -> Iterator[_Entry]:
    try:
        document = json.loads(file.read_bytes())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise UsageError(f"{file} is no HAR, which is JSON: {error}.") from error
    log = object_in(document, "log") if isinstance(document, Mapping) else {}
    if "entries" not in log:
        raise UsageError(f"{file} is no HAR: it has no log with entries.")
    for entry in objects_of(list_in(log, "entries")):
        request, response = object_in(entry, "request"), object_in(entry, "response")
        url, status = text_in(request, "url"), int(number_in(response, "status") or 0)
        if url.startswith(("http://", "https://")) and status > 0:
            headers = _pairs(request, "headers")
            parts = list(_parts(request))
            body = None if parts else _posted(request)
            yield _Entry(
                RecordedRequest(text_in(request, "method").upper(), url, headers, body, parts),
                200 if status == _REDIRECTED else status,
                _json_of(object_in(response, "content")),
                text_in(object_in(response, "content"), "mimeType"),
                next((value for name, value in _pairs(response, "headers") if name.lower() == "location"), ""),
                any(name.lower() == "set-cookie" for name, _ in _pairs(response, "headers"))
                or any(name.lower() == "cookie" for name, _ in headers),
            )


def _pairs(entry: Mapping[str, Json], name: str) -> list[tuple[str, str]]:
    return [(text_in(each, "name"), text_in(each, "value")) for each in objects_of(list_in(entry, name))]


def _posted(request: Mapping[str, Json]) -> bytes | None:
    data = object_in(request, "postData")
    if not data:
        return None
    if "text" in data:
        return text_in(data, "text").encode()
    pairs = _pairs(data, "params")
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs).encode() or None


def _parts(request: Mapping[str, Json]) -> Iterator[tuple[str, str | File]]:
    """The parts of a form with files. Browsers leave the content of files out: a small one of their type is sent."""
    data = object_in(request, "postData")
    kind = text_in(data, "mimeType")
    if essence(kind) != MULTIPART:
        return
    parts = parts_in(kind, text_in(data, "text").encode())
    if not parts:
        parts = [(text_in(each, "name"), _part(each)) for each in objects_of(list_in(data, "params"))]
    for name, part in parts:
        if isinstance(part, File) and not part.content:
            part = replace(part, content=smallest_file(part.content_type) or b"")
        yield name, part


def _part(parameter: Mapping[str, Json]) -> str | File:
    value, filename = text_in(parameter, "value"), text_in(parameter, "fileName")
    if not filename:
        return value
    return File(filename, b"", text_in(parameter, "contentType") or type_of_name(filename))


def _json_of(content: Mapping[str, Json]) -> Json:
    text = text_in(content, "text")
    try:
        raw = base64.b64decode(text) if text_in(content, "encoding") == "base64" else text.encode()
        document: Json = json.loads(raw)
    except ValueError:
        return None
    return document


def _main_address(entries: Sequence[_Entry]) -> str:
    """The host with the most requests of an API: replies in JSON, and requests that write; else the first one."""
    first = urlsplit(entries[0].request.url).hostname or ""
    site = ".".join(first.split(".")[-2:])

    def is_of_site(entry: _Entry) -> bool:
        host = urlsplit(entry.request.url).hostname or ""
        return host == first or host.endswith(f".{site}")

    def is_of_api(entry: _Entry) -> bool:
        return not entry.is_static and (entry.reply is not None or entry.request.method != "GET")

    counts = Counter(each.request.origin for each in entries if is_of_api(each) and is_of_site(each))
    return counts.most_common(1)[0][0] if counts else entries[0].request.origin


def _left_out(entries: Sequence[_Entry], own: Sequence[_Entry], kept: Sequence[_Entry], address: str) -> Iterator[str]:
    others = Counter(each.request.origin for each in entries if each.request.origin != address)
    if others:
        named = ", ".join(f"{origin} ({count})" for origin, count in others.most_common(3))
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        yield f"{others.total()} requests to other hosts are left out: {named}{more}."
    if len(own) > len(kept):
        yield f"{len(own) - len(kept)} requests for static files and preflights are left out."


@dataclass
class _Session:
    entries: Sequence[_Entry]
    address: str
    notes: list[str]
    operations: list[dict[str, Json]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    shown: dict[str, _Shown] = field(default_factory=dict)
    captures: dict[int, dict[str, str]] = field(default_factory=dict)

    def recorded(self) -> RecordedSession:
        links = 0
        for step, entry in enumerate(self.entries):
            operation, count = self._linked(entry)
            links += count
            self.steps.append(self._place(operation))
            self._remember(step, entry)
        for index, captures in self.captures.items():
            call = object_in(self.operations[index], "http")
            self.operations[index]["http"] = {**call, "capture": captures}
        self.notes.append(f"{links} values are taken from earlier replies.")
        if any(
            re.search(r"passw|secret|pin\b", str(each.get("message", "")), re.IGNORECASE) for each in self.operations
        ):
            self.notes.append("The file has what was typed, passwords too: keep it to yourself, or write others.")
        names = [str(self.operations[index]["name"]) for index in self.steps]
        uses_cookies = any(each.sets_cookie for each in self.entries)
        return RecordedSession(self.address, self.operations, names, uses_cookies, self.notes)

    def _linked(self, entry: _Entry) -> tuple[dict[str, Json], int]:
        """The operation of a request, values that replies showed replaced; and how many these are."""
        request = entry.request.without_browser()
        headers = [each for each in request.headers if each[0].lower() not in ("accept", "authorization")]
        operation = operation_of("", replace(request, headers=headers), entry.status)
        call = dict(object_in(operation, "http"))
        found: list[str] = []
        call["path"] = self._path(text_in(call, "path"), found)
        linked: dict[str, Json] = {
            name: self._value(name, str(value), found) for name, value in object_in(call, "headers").items()
        }
        self._authorize(request.header("authorization"), linked, found)
        if linked:
            call["headers"] = linked
        message = operation.get("message")
        if isinstance(message, str) and text_in(operation, "body") in ("", "form", "multipart"):
            document = self._document(json.loads(message), "", found)
            operation["message"] = _bare(json.dumps(document, ensure_ascii=False, separators=(",", ":")))
        return {**operation, "http": call}, len(found)

    def _authorize(self, value: str, headers: dict[str, Json], found: list[str]) -> None:
        if not value:
            return
        way, _, token = value.partition(" ")
        linked = self._value("token", token, found) if token else value
        if linked != token and token:
            headers["Authorization"] = f"{way} {linked}"
        elif "authorization" not in " ".join(self.notes):
            self.notes.append(
                "The authorization of its requests is not in an earlier reply, and is left out: set BAKEOFF_API_TOKEN."
            )

    def _path(self, path: str, found: list[str]) -> str:
        whole, _, query = path.partition("?")
        parts = [self._value("id", unquote(part), found, part) for part in whole.split("/")]
        pairs = []
        for pair in query.split("&") if query else []:
            name, equals, value = pair.partition("=")
            pairs.append(f"{name}{equals}{self._value(name, unquote(value), found, value)}")
        return "/".join(parts) + ("?" + "&".join(pairs) if pairs else "")

    def _document(self, value: Json, name: str, found: list[str]) -> Json:
        if isinstance(value, Mapping):
            return {key: self._document(each, key, found) for key, each in value.items()}
        if isinstance(value, list):
            return [self._document(each, name, found) for each in value]
        if isinstance(value, str):
            return self._value(name, value, found)
        if isinstance(value, int) and not isinstance(value, bool):
            linked = self._value(name, str(value), found)
            return value if linked == str(value) else f"\x00{linked}\x00"
        return value

    def _value(self, name: str, value: str, found: list[str], written: str | None = None) -> str:
        """The slot of a value that a reply showed; the value as it is `written` where none did."""
        shown = self.shown.get(value)
        if shown is None:
            return value if written is None else written
        is_likely = len(value) >= _LONG or _ID_NAME.fullmatch(name) is not None
        return self._use(value, shown, found) if is_likely else value if written is None else written

    def _use(self, value: str, shown: _Shown, found: list[str]) -> str:
        captures = self.captures.setdefault(self.steps[shown.step], {})
        known = {place: name for name, place in captures.items()}
        taken = {name for each in self.captures.values() for name in each}
        numbered = (shown.name, *(f"{shown.name}_{number}" for number in range(2, 1_000)))
        name = known.get(shown.place) or next(each for each in numbered if each not in taken)
        captures[name] = shown.place
        found.append(value)
        return f"${{captured.{name}}}"

    def _place(self, operation: dict[str, Json]) -> int:
        """The index of an operation; the same request twice is one operation."""
        plain: dict[str, Json] = {**operation, "weight": 0}
        for index, known in enumerate(self.operations):
            if {**known, "name": ""} == {**plain, "name": ""}:
                return index
        call = object_in(operation, "http")
        path = re.sub(r"\$\{captured\.(\w+)\}", r"{\1}", text_in(call, "path").partition("?")[0])
        names = {str(each["name"]) for each in self.operations}
        base = f"{call['method']} {path}"
        numbered = (base, *(f"{base} {number}" for number in range(2, 1_000)))
        name = next(each for each in numbered if each not in names)
        self.operations.append({**plain, "name": name})
        return len(self.operations) - 1

    def _remember(self, step: int, entry: _Entry) -> None:
        """Values that the reply shows: the latest reply counts."""
        if entry.location:
            # What a header shows last is after its last slash, a query included.
            end = entry.location.rsplit("/", 1)[-1]
            if _can_be_captured(end, "id") and "?" not in end:
                self.shown[end] = _Shown(step, "header:location/", "location_id")
        for place, value in _places(entry.reply):
            name = re.sub(r"\W", "_", place.rsplit("/", 1)[-1]) or "value"
            name = f"item_{name}" if name.isdigit() else name
            if _can_be_captured(value, name):
                self.shown[value] = _Shown(step, place, name)


def _places(document: Json, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(document, Mapping):
        for name, value in document.items():
            escaped = name.replace("~", "~0").replace("/", "~1")
            yield from _places(value, f"{place}/{escaped}")
    elif isinstance(document, list):
        for index, value in enumerate(document[:20]):
            yield from _places(value, f"{place}/{index}")
    elif isinstance(document, str | int) and not isinstance(document, bool) and place:
        yield place, str(document)


def _can_be_captured(value: str, name: str) -> bool:
    is_plain = bool(value) and len(value) <= 4_096 and not set(value) & {'"', "\\", " "} and value.isprintable()
    return is_plain and (_ID_NAME.fullmatch(name) is not None or (len(value) >= _LONG and any(map(str.isdigit, value))))


def _bare(text: str) -> str:
    """JSON in which captured numbers stand without quotes."""
    return re.sub(r'"\\u0000(\$\{captured\.\w+\})\\u0000"', r"\1", text)
