"""A service made from a description: it refuses every request that the description does not allow."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from fnmatch import fnmatch
from typing import Any
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit
from uuid import UUID

from jsonschema import Draft4Validator, Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4, DRAFT202012

Headers = Mapping[str, str]


class RefusedError(Exception):
    """Why a request is not one of the description."""


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any = None
    headers: Headers = field(default_factory=dict)


class DescribedService:
    """Answers requests; `resources` are the ways in which ids are made, by the path of the collection."""

    def __init__(self, document: Mapping[str, Any], resources: Mapping[str, str]) -> None:
        self._document = _of_requests(document)
        self._resources = resources
        self._entities: dict[str, dict[Any, Any]] = {path: {} for path in resources}
        self._is_old = str(document["openapi"]).startswith("3.0")
        specification = DRAFT4 if self._is_old else DRAFT202012
        resource = Resource.from_contents(self._document, default_specification=specification)
        self._registry: Any = Registry().with_resource("urn:it", resource)
        base = urlsplit(str(document["servers"][0]["url"])).path.rstrip("/")
        self._base = base

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Reply:
        """Raises RefusedError for what the description does not have."""
        if not re.fullmatch(r"[!-~]+", target):
            raise RefusedError(f"{target!r} cannot stand in a request line")
        path, _, query = target.partition("?")
        template, variables = self._template(path)
        item = self._document["paths"][template]
        entry = item.get(method.lower())
        if entry is None:
            raise RefusedError(f"{method} {template} is not described")
        self._check_security(headers, query)
        for parameter in [*item.get("parameters", []), *entry.get("parameters", [])]:
            self._check_parameter(parameter, variables, query, headers)
        document = self._checked_body(entry, headers, body)
        return self._done(method, template, variables, document, entry)

    def _template(self, path: str) -> tuple[str, dict[str, str]]:
        """The path of the description that a request is for, and its variables as they are written."""
        for template in self._document["paths"]:
            parts = re.split(r"\{([^{}]+)\}", self._base + template)
            pattern = "".join(re.escape(part) if index % 2 == 0 else "(.+)" for index, part in enumerate(parts))
            if re.fullmatch(pattern, unquote(path)) and path.count("/") == (self._base + template).count("/"):
                pairs = zip((self._base + template).split("/"), path.split("/"), strict=True)
                return template, {name[1:-1]: value for name, value in pairs if name.startswith("{")}
        raise RefusedError(f"{path} is no path of the description")

    def _check_security(self, headers: Headers, query: str) -> None:
        if "security" not in self._document:
            return
        scheme = self._document["components"]["securitySchemes"]["auth"]
        if scheme["type"] == "http":
            if not headers.get("authorization", "").lower().startswith(scheme["scheme"]):
                raise RefusedError("there are no credentials")
        elif scheme["in"] == "header":
            if scheme["name"].lower() not in headers:
                raise RefusedError("there is no key")
        elif scheme["name"] not in dict(parse_qsl(query)):
            raise RefusedError("there is no key in the query")

    def _check_parameter(self, parameter: Any, variables: Mapping[str, str], query: str, headers: Headers) -> None:
        schema, place = parameter["schema"], parameter["in"]
        kind = schema.get("type")
        if place == "path":
            value = _from_path(parameter, variables[parameter["name"]], kind)
        elif place == "query":
            value = _from_query(parameter, query, kind, "&")
        elif place == "cookie":
            value = _from_query(parameter, headers.get("cookie", ""), kind, "; ")
        else:
            if parameter["name"].lower() not in headers:
                raise RefusedError(f"the header {parameter['name']} is missing")
            value = _simple(headers[parameter["name"].lower()], kind, explode=parameter.get("explode", False))
        self._check(schema, _coerced(value, schema), f"{place} {parameter['name']}")

    def _checked_body(self, entry: Any, headers: Headers, body: bytes | None) -> Any:
        if "requestBody" not in entry:
            return None
        ((media_type, described),) = entry["requestBody"]["content"].items()
        sent_as = headers.get("content-type", "")
        if body is None or not fnmatch(sent_as.split(";")[0], media_type):
            raise RefusedError(f"the body is not {media_type}: {headers.get('content-type')}")
        if media_type == "multipart/form-data":
            self._check_parts(described, sent_as, body)
            return None
        if _is_file(described["schema"]):
            _check_size(described["schema"], body, "body")
            return None
        if media_type.endswith("json"):
            document = json.loads(body)
        else:
            document = _coerced(dict(parse_qsl(body.decode(), keep_blank_values=True)), described["schema"])
        self._check(described["schema"], document, "body")
        return document

    def _check_parts(self, described: Any, content_type: str, body: bytes) -> None:
        """A form of which every described part has arrived, each as its schema and its encoding say."""
        parts = parts_of(content_type, body)
        properties = described["schema"]["properties"]
        if [each.name for each in parts if each.name not in properties] or {each.name for each in parts} != {
            *properties
        }:
            raise RefusedError(f"the parts are {[each.name for each in parts]}, not {list(properties)}")
        for name, schema in properties.items():
            named = described.get("encoding", {}).get(name, {}).get("contentType")
            sent = [each for each in parts if each.name == name]
            is_list = schema.get("type") == "array"
            item = schema["items"] if is_list else schema
            if not is_list and len(sent) > 1:
                raise RefusedError(f"{name} is sent {len(sent)} times")
            if is_list and len(sent) < schema["minItems"]:
                raise RefusedError(f"{name} is sent {len(sent)} times")
            for part in sent:
                self._check_part(part, item, named)

    def _check_part(self, part: "Part", schema: Any, named: str | None) -> None:
        if _is_file(schema):
            allowed = (named or "application/octet-stream").split(", ")
            if part.filename is None or not any(fnmatch(part.content_type or "", each) for each in allowed):
                raise RefusedError(f"{part.name} is no file of {allowed}: {part}")
            _check_size(schema, part.content, part.name)
            return
        is_object = schema.get("type") == "object"
        if part.filename is not None or part.content_type != (named or ("application/json" if is_object else None)):
            raise RefusedError(f"{part.name} is no field: {part}")
        text = part.content.decode()
        self._check(schema, json.loads(text) if is_object else _coerced(text, schema), part.name)

    def _check(self, schema: Any, value: Any, what: str) -> None:
        kind = Draft4Validator if self._is_old else Draft202012Validator
        validator = kind(_rooted(schema), registry=self._registry)
        error = next(iter(validator.iter_errors(value)), None)
        if error is not None:
            raise RefusedError(f"{what}: {error.message}: {value!r}")

    def _done(self, method: str, template: str, variables: Mapping[str, str], document: Any, entry: Any) -> Reply:
        status = int(next(iter(entry["responses"])))
        collection = template.rpartition("/{")[0] if template.endswith("}") else template
        if collection not in self._resources:
            return Reply(status)
        kept, how = self._entities[collection], self._resources[collection]
        if how == "within":
            return self._of_part(method, collection, variables, document, status)
        if template == collection:
            return self._create(kept, how, document, status) if method == "POST" else Reply(status, list(kept.values()))
        identity = unquote(next(iter(variables.values())))
        if how == "put" and method == "PUT":
            if identity in kept:
                raise RefusedError(f"there is {identity} already")
            kept[identity] = {**document, "id": int(identity)}
            return Reply(status)
        if identity not in kept:
            return Reply(404)
        if method == "DELETE":
            del kept[identity]
            return Reply(status)
        if method == "PUT":
            name = "key" if how == "client-text" else "id"
            if name in document and str(document[name]) != identity:
                raise RefusedError(f"the update of {identity} names {document[name]}")
            kept[identity] = {**document, name: kept[identity][name]}
            return Reply(status)
        shown = kept[identity]
        return Reply(status, {"item": shown} if how == "wrapped" else shown)

    def _of_part(self, method: str, collection: str, variables: Mapping[str, str], document: Any, status: int) -> Reply:
        """What lies within an entity is found under both ids alone."""
        above, kept = collection.partition("/{")[0], self._entities[collection]
        parent, *number = (unquote(each) for each in variables.values())
        if method == "POST":
            if parent not in self._entities[above]:
                raise RefusedError(f"there is no {above}/{parent}")
            kept[parent, str(len(kept) + 1)] = {**document, "number": len(kept) + 1}
            return Reply(status, {**document, "number": len(kept)})
        if (parent, *number) not in kept:
            return Reply(404)
        return Reply(status, kept.pop((parent, *number)) if method == "DELETE" else kept[parent, number[0]])

    def _create(self, kept: dict[str, Any], how: str, document: Any, status: int) -> Reply:
        name = "key" if how == "client-text" else "id"
        identity: Any = len(kept) + 1
        if how == "server-uuid":
            identity = str(UUID(int=identity))
        if how.startswith(("client", "optional")) and name in document:
            identity = document[name]
            if str(identity) in kept:
                raise RefusedError(f"there is {identity} already")
        created = {**document, name: identity}
        kept[str(identity)] = created
        if how == "location":
            return Reply(status, None, {"location": f"http://host/things/{identity}"})
        return Reply(status, {"item": created} if how == "wrapped" else created)


@dataclass(frozen=True)
class Part:
    """A part of a multipart form; `content_type` is None for one without."""

    name: str
    filename: str | None
    content_type: str | None
    content: bytes


def parts_of(content_type: str, body: bytes) -> list[Part]:
    """The parts of a form, as Python's own parser of MIME reads them. Raises RefusedError for what is none."""
    message = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body)
    if not message.is_multipart() or message.defects:
        raise RefusedError(f"the body is no multipart form: {message.defects}")
    return [_part_of(part) for part in message.iter_parts()]


def _part_of(part: Any) -> Part:
    name, filename = (part.get_param(each, header="content-disposition") for each in ("name", "filename"))
    if part.get_content_disposition() != "form-data" or part.defects:
        raise RefusedError(f"{part.items()} is no part of a form: {part.defects}")
    content_type = part.get_content_type() if "content-type" in part else None
    return Part(name, filename, content_type, part.get_payload(decode=True))


def _is_file(schema: Any) -> bool:
    return schema.get("format") == "binary" or "contentMediaType" in schema


def _check_size(schema: Any, content: bytes, what: str) -> None:
    if not schema.get("minLength", 0) <= len(content) <= schema.get("maxLength", len(content)):
        raise RefusedError(f"{what} has {len(content)} bytes")


def _from_path(parameter: Any, written: str, kind: str | None) -> Any:
    style, name, explode = parameter.get("style", "simple"), parameter["name"], parameter.get("explode", False)
    if style == "matrix":
        if explode and kind in ("array", "object"):
            pairs = [part.partition("=")[::2] for part in written.split(";")[1:]]
            return [unquote(value) for _, value in pairs] if kind == "array" else {n: unquote(v) for n, v in pairs}
        written = written.removeprefix(f";{name}=")
    elif style == "label":
        if not written.startswith("."):
            raise RefusedError(f"{written} is no label")
        written = written[1:]
        if kind in ("array", "object") and explode:
            return _simple(written, kind, explode=explode, delimiter=".")
    return _simple(written, kind, explode=explode)


def _simple(written: str, kind: str | None, *, explode: bool, delimiter: str = ",") -> Any:
    if kind == "array":
        return [unquote(each) for each in written.split(delimiter)]
    if kind != "object":
        return unquote(written)
    parts = [unquote(each) for each in written.split(delimiter)]
    if explode:
        return dict(each.split("=", 1) for each in parts)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _from_query(parameter: Any, query: str, kind: str | None, separator: str) -> Any:
    style, name = parameter.get("style", "form"), parameter["name"]
    explode = parameter.get("explode", style == "form")
    pairs = [(unquote_plus(n), v) for n, v in (part.partition("=")[::2] for part in query.split(separator) if part)]
    if style == "deepObject":
        return {n[len(name) + 1 : -1]: unquote_plus(v) for n, v in pairs if n.startswith(f"{name}[")}
    if kind == "object" and explode:
        return {n: unquote_plus(v) for n, v in pairs if n in parameter["schema"]["properties"]}
    values = [v for n, v in pairs if n == name]
    if not values:
        raise RefusedError(f"{name} is missing in {query}")
    if kind == "array" and explode:
        return [unquote_plus(each) for each in values]
    delimiter = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}.get(style, ",")
    if kind == "array":
        return [unquote_plus(each) for each in values[0].split(delimiter)]
    if kind == "object":
        parts = [unquote_plus(each) for each in values[0].split(delimiter)]
        return dict(zip(parts[::2], parts[1::2], strict=True))
    return unquote_plus(values[0])


def _coerced(value: Any, schema: Any) -> Any:
    """A text as the type of its schema."""
    kinds = schema.get("type")
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if kind == "array" and isinstance(value, list):
        return [_coerced(each, schema["items"]) for each in value]
    if kind == "object" and isinstance(value, dict):
        return {name: _coerced(each, schema["properties"].get(name, {})) for name, each in value.items()}
    if kind in ("integer", "number", "boolean") and isinstance(value, str):
        return json.loads(value)
    return value


def _of_requests(value: Any) -> Any:
    """A document with the types that null makes of others, in which nothing is required that is only read."""
    if isinstance(value, Mapping):
        changed = {name: _of_requests(each) for name, each in value.items()}
        if value.get("nullable") is True:
            changed["type"] = [value["type"], "null"]
        if isinstance(value.get("required"), list):
            hidden = [name for name, each in value.get("properties", {}).items() if each.get("readOnly")]
            changed["required"] = [each for each in value["required"] if each not in hidden]
        return changed
    return (
        [_of_requests(each) for each in value] if isinstance(value, Sequence) and not isinstance(value, str) else value
    )


def _rooted(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: f"urn:it{each}" if name == "$ref" and isinstance(each, str) else _rooted(each)
            for name, each in value.items()
        }
    return [_rooted(each) for each in value] if isinstance(value, list) else value
