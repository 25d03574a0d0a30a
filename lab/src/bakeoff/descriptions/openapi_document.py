"""An OpenAPI document: read, its faults found, and as the operations that it has."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bakeoff.descriptions.document_file import read_document
from bakeoff.descriptions.faults import Fault
from bakeoff.descriptions.json_members import JsonObject, list_in, object_in, objects_by_name, objects_of, text_in
from bakeoff.descriptions.media_types import essence, holds_bytes, sent_type
from bakeoff.descriptions.openapi_faults import METHODS, faults_of
from bakeoff.descriptions.references import Bundle, Resolve
from bakeoff.descriptions.schema_merging import Schema, kind_of, schema_of
from bakeoff.descriptions.schema_templates import NOTHING
from bakeoff.descriptions.swagger2 import as_openapi
from bakeoff.descriptions.uploads import is_file
from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError

FORM, MULTIPART, JSON = "application/x-www-form-urlencoded", "multipart/form-data", "application/json"
_NOT_DATA = ("application/json-patch+json", "application/json-seq")
_VARIABLE = re.compile(r"\{([^{}]*)\}")
# Statuses that a range or a default stands for.
_USUAL = {"POST": (201, 200, 202, 204), "DELETE": (204, 200, 202)}
_USUAL_OF_ALL = (200, 201, 202, 204)
# Media types of replies that go on until the client closes the connection, and what grpc-gateway writes of such.
_ENDLESS = {"text/event-stream", "application/stream+json", "multipart/x-mixed-replace"}
_STREAMING = "(streaming responses)"
_REDIRECTS = (302, 301, 303, 307, 308)


@dataclass(frozen=True)
class Body:
    """What an operation sends: `kind` is that of a workload, None where it has none for this media type."""

    media_type: str
    kind: str | None
    schema: Schema
    example: Any = NOTHING
    encoding: JsonObject = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Whether it is one text or file, without members."""
        return self.kind in ("text", "binary")

    @property
    def shows_members(self) -> bool:
        """Whether its members are sent as values of their own, without a media type for each."""
        return not self.is_whole and not (self.kind == "multipart" and self.encoding)


@dataclass(frozen=True, eq=False)
class DescribedOperation:
    """One method of one path. `parameters` are resolved, those of the path too; `base_path` stands before the path."""

    path: str
    method: str
    name: str
    entry: JsonObject
    parameters: Sequence[JsonObject]
    resolve: Resolve
    base_path: str = ""

    @property
    def place(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def about(self) -> str:
        """Its summary, in one line."""
        return " ".join(str(self.entry.get("summary") or self.entry.get("description") or "").split())

    @cached_property
    def variables(self) -> list[str]:
        """The names of the parameters in its path, in order."""
        return _VARIABLE.findall(self.path)

    def in_path(self, name: str) -> JsonObject:
        """The parameter of a variable in its path, which a description may lack."""
        described = (each for each in self.parameters if each.get("in") == "path" and each.get("name") == name)
        return {"in": "path", **next(described, {}), "name": name}

    @cached_property
    def statuses(self) -> Sequence[int]:
        """The statuses of success, the one that its reply is described for first."""
        responses = [status.upper() for status in self._responses]
        documented = sorted(int(each) for each in responses if each.isdecimal())
        successes = [each for each in documented if 200 <= each < 300]
        usual = _USUAL.get(self.method, _USUAL_OF_ALL)
        if "2XX" in responses:
            return [*successes, *(each for each in usual if each not in successes)]
        if successes:
            return sorted(successes, key=lambda status: (self.method == "POST" and status != 201, status))
        redirects = [each for each in documented if 300 <= each < 400]
        if redirects or "3XX" in responses:
            return redirects or _REDIRECTS
        return usual if "DEFAULT" in responses else [200]

    @property
    def status(self) -> int:
        return self.statuses[0]

    @property
    def is_upgrade(self) -> bool:
        """Whether a good reply leads to another protocol."""
        documented = [status.upper() for status in self._responses]
        return "101" in documented and not any(each[0] in "23" or each == "DEFAULT" for each in documented)

    @property
    def is_endless(self) -> bool:
        """Whether a good reply is a stream of events, or of messages as grpc-gateway describes it."""
        media_types = [essence(each) for each in object_in(self._success, "content")]
        is_streaming = _STREAMING in text_in(self._success, "description")
        return is_streaming or (bool(media_types) and all(each in _ENDLESS for each in media_types))

    def documents(self, status: int) -> bool:
        """Whether a status is documented."""
        return str(status) in self._responses

    def required(self, place: str) -> list[JsonObject]:
        """The parameters that every request has in a place: path, query, header or cookie."""
        return [each for each in self.parameters if each.get("in") == place and each.get("required") is True]

    @cached_property
    def reply(self) -> Schema | None:
        """The schema of its successful reply, where that is JSON."""
        found = _json_in(object_in(self._success, "content"))
        return None if found is None else _schema_in(found[1])

    @property
    def reply_headers(self) -> list[str]:
        """Names of the headers of its successful reply, in lower case."""
        return [str(name).lower() for name in object_in(self._success, "headers")]

    @property
    def links(self) -> JsonObject:
        """The links of its successful reply to other operations."""
        return object_in(self._success, "links")

    @cached_property
    def body(self) -> Body | None:
        """What it sends: JSON where that is possible; None where it sends nothing."""
        if "requestBody" not in self.entry:
            return None
        content = objects_by_name(object_in(self.resolve(object_in(self.entry, "requestBody")), "content"))
        if not content:
            return None
        kinds = [(media_type, self._kind_of(media_type, entry)) for media_type, entry in content.items()]
        order = ("json", "form", "multipart", "text", "binary")
        known = [(media_type, kind) for media_type, kind in kinds if kind is not None]

        def rank(each: tuple[str, str]) -> tuple[bool, int]:
            return each[1] != "multipart" and self._has_files(content[each[0]]), order.index(each[1])

        media_type, kind = min(known, key=rank, default=(next(iter(content)), None))
        entry = content[media_type]
        sent_as = JSON if "*" in media_type and kind == "json" else sent_type(media_type)
        return Body(sent_as, kind, _schema_in(entry), self._example(entry), object_in(entry, "encoding"))

    @property
    def _responses(self) -> dict[str, JsonObject]:
        return objects_by_name(object_in(self.entry, "responses"))

    @property
    def _success(self) -> JsonObject:
        responses = self._responses
        found = next((responses[each] for each in (str(self.status), "2XX", "2xx", "default") if each in responses), {})
        return self.resolve(found)

    def _kind_of(self, media_type: str, entry: JsonObject) -> str | None:
        """The kind of body that holds a media type; of others than data, a text or bytes as they are."""
        kind, own, schema = _kind_of(media_type), essence(media_type), self.resolve(_schema_in(entry))
        if kind is not None or own in _NOT_DATA or own.startswith("multipart/"):
            return kind
        if kind_of(schema) not in ("string", None):
            return None
        if own.startswith("text/"):
            return "text"
        if is_file(schema) or holds_bytes(own):
            return "binary"
        return "text" if isinstance(self._example(entry), str) else None

    def _has_files(self, entry: JsonObject) -> bool:
        """Whether members of a body are bytes, which stand in parts of a form alone."""
        members = objects_by_name(object_in(self.resolve(_schema_in(entry)), "properties")).values()
        return any(text_in(self.resolve(each), "format") == "binary" for each in members)

    def _example(self, entry: JsonObject) -> Any:
        """The first example that stands beside a schema."""
        return next(iter(examples_beside(entry, self.resolve)), NOTHING)


def examples_beside(entry: JsonObject, resolve: Resolve) -> list[Json]:
    """The examples of a parameter or of a media type."""
    if entry.get("example") is not None:
        return [entry["example"]]
    named = objects_by_name(object_in(entry, "examples"))
    return [each["value"] for each in map(resolve, named.values()) if each.get("value") is not None]


def parameter_schema(parameter: JsonObject) -> Schema:
    """The schema of a parameter, which may stand in its media type."""
    for entry in objects_by_name(object_in(parameter, "content")).values():
        return _schema_in(entry)
    return _schema_in(parameter)


def _kind_of(media_type: str) -> str | None:
    """The kind of body of a media type that is data in a workload; None where there is none."""
    own = essence(media_type)
    if own in _NOT_DATA:
        return None
    if own in (JSON, "*/*", "application/*", "text/json") or own.endswith("+json"):
        return "json"
    kinds = {FORM: "form", MULTIPART: "multipart", "text/plain": "text"}
    return kinds.get(own)


def _json_in(content: JsonObject) -> tuple[str, JsonObject] | None:
    entries = objects_by_name(content).items()
    return next(((media_type, entry) for media_type, entry in entries if _kind_of(media_type) == "json"), None)


def _schema_in(entry: JsonObject) -> Schema:
    return schema_of(entry.get("schema", True)) or {}


@dataclass(frozen=True)
class Description:
    """A document; what is wrong with it are its `faults`."""

    document: JsonObject
    resolve: Resolve
    faults: Sequence[Fault] = ()
    sources: Sequence[Path] = ()

    @property
    def title(self) -> str:
        return text_in(object_in(self.document, "info"), "title")

    @property
    def base_path(self) -> str:
        """The prefix of every path."""
        return _path_of(_server(self.document))

    @property
    def address(self) -> str | None:
        """Scheme, host and port of the first server that has them."""
        parts = urlsplit(_server(self.document))
        return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else None

    @cached_property
    def schemes(self) -> Mapping[str, JsonObject]:
        """Ways of authentication that operations can ask for."""
        found = object_in(object_in(self.document, "components"), "securitySchemes")
        return {name: self.resolve(each) for name, each in objects_by_name(found).items()}

    def needed_schemes(self, operation: DescribedOperation) -> list[JsonObject]:
        """Those of the first alternative that an operation asks for."""
        return next(iter(self.alternatives(operation)), [])

    def alternatives(self, operation: DescribedOperation) -> list[list[JsonObject]]:
        """The ways of authentication that an operation takes, each with all its schemes."""
        asked = objects_of(list_in(operation.entry if "security" in operation.entry else self.document, "security"))
        return [[self.schemes[name] for name in each if name in self.schemes] for each in asked]

    @property
    def webhooks(self) -> list[str]:
        """Requests that the API sends itself."""
        return list(objects_by_name(object_in(self.document, "webhooks")))

    def operations(self) -> Iterator[DescribedOperation]:
        """All of them, in the order of the document. Their names differ."""
        names: set[str] = set()
        for path, item in objects_by_name(object_in(self.document, "paths")).items():
            if path.startswith("x-"):
                continue
            for described in self._of_path(path if path.startswith("/") else f"/{path}", self.resolve(item)):
                unique = described.name if described.name not in names else described.place
                names.add(unique)
                yield described if unique == described.name else _renamed(described, unique)

    def _of_path(self, path: str, item: JsonObject) -> Iterator[DescribedOperation]:
        others = object_in(item, "additionalOperations")
        for method in (*METHODS, "query", *others):
            entry = self.resolve(object_in(others if method in others else item, method))
            if method not in item and method not in others:
                continue
            parameters = objects_of([*list_in(item, "parameters"), *list_in(entry, "parameters")])
            own = {_place_of(each): each for each in map(self.resolve, parameters)}
            name = text_in(entry, "operationId").strip() or f"{method.upper()} {path}"
            server = _server(entry) or _server(item)
            base_path = _path_of(server) if server else self.base_path
            yield DescribedOperation(path, method.upper(), name, entry, list(own.values()), self.resolve, base_path)


def _place_of(parameter: JsonObject) -> tuple[str, str]:
    """Name and place of a parameter: the last one of a place counts, and names of headers have no case."""
    name, place = text_in(parameter, "name"), text_in(parameter, "in")
    return (name.lower() if place == "header" else name), place


def _renamed(described: DescribedOperation, name: str) -> DescribedOperation:
    return DescribedOperation(
        described.path,
        described.method,
        name,
        described.entry,
        described.parameters,
        described.resolve,
        described.base_path,
    )


def _server(holder: JsonObject) -> str:
    """The first server of a document, a path or an operation; empty where it has none."""
    server = next(iter(objects_of(list_in(holder, "servers"))), {})
    url = text_in(server, "url")
    for name, variable in objects_by_name(object_in(server, "variables")).items():
        url = url.replace(f"{{{name}}}", text_in(variable, "default"))
    return url


def _path_of(url: str) -> str:
    try:
        path = urlsplit(url).path.rstrip("/")
    except ValueError:
        return ""
    return path if path.startswith("/") or not path else f"/{path}"


def read_description(file: Path) -> Description:
    """An OpenAPI document of version 3, or of Swagger 2, as JSON or YAML. Raises UsageError for another one."""
    read = read_document(file)
    document = read.value
    if not isinstance(document, dict):
        raise UsageError(f"{file} is not an OpenAPI document: it has no members such as openapi and paths.")
    version = text_in(document, "openapi") or text_in(document, "swagger")
    if not version.startswith(("2.", "3.")) or (version.startswith("2.") and "openapi" in document):
        written = f"has version {version}" if version else "has neither openapi: 3.x nor swagger: 2.0"
        raise UsageError(f"{file} {written}: supported are OpenAPI 3.0, 3.1 and 3.2, and Swagger 2.0.")
    faults = faults_of(read, document, version)
    bundle = Bundle(read, document)
    if version.startswith("2."):
        document = as_openapi(document)
    return Description(document, Resolve(document), [*faults, *bundle.faults], bundle.sources)
