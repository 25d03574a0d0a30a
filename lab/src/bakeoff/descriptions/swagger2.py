"""A Swagger 2 document as one of OpenAPI 3."""

from collections.abc import Iterator
from typing import Any

from bakeoff.descriptions.json_members import JsonObject, list_in, object_in, objects_by_name, objects_of, text_in
from bakeoff.descriptions.references import BUNDLED
from bakeoff.documents.checked import Json

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_SECTIONS = {"definitions": "schemas", "parameters": "parameters", "responses": "responses"}
# What a parameter has that its schema has in OpenAPI 3.
_OF_SCHEMAS = {
    *("type", "format", "items", "default", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength"),
    *("minLength", "pattern", "maxItems", "minItems", "uniqueItems", "enum", "multipleOf", "x-nullable"),
}
_STYLES: dict[str, dict[str, Json]] = {
    "multi": {"style": "form", "explode": True},
    "ssv": {"style": "spaceDelimited", "explode": False},
    "pipes": {"style": "pipeDelimited", "explode": False},
    "tsv": {"style": "tabDelimited", "explode": False},
}
_FLOWS = {"accessCode": "authorizationCode", "application": "clientCredentials"}


def as_openapi(document: JsonObject) -> dict[str, Json]:
    """The document in the members of OpenAPI 3.0, references included."""
    return _Conversion(document).whole()


class _Conversion:
    def __init__(self, document: JsonObject) -> None:
        self._document: Any = _with_references(document)

    def whole(self) -> dict[str, Json]:
        given = self._document
        components = {
            "schemas": object_in(given, "definitions"),
            "parameters": {
                name: self._parameter(each)
                for name, each in objects_by_name(object_in(given, "parameters")).items()
                if each.get("in") not in ("body", "formData")
            },
            "responses": {
                name: self._response(each, list_in(given, "produces"))
                for name, each in objects_by_name(object_in(given, "responses")).items()
            },
            "securitySchemes": {
                name: _scheme(each) for name, each in objects_by_name(object_in(given, "securityDefinitions")).items()
            },
        }
        kept = {name: given[name] for name in ("info", "security", "tags", BUNDLED) if name in given}
        paths = {path: self._item(item) for path, item in objects_by_name(object_in(given, "paths")).items()}
        return {"openapi": "3.0.3", **kept, "servers": self._servers(), "paths": paths, "components": components}

    def _servers(self) -> list[dict[str, str]]:
        host, base = text_in(self._document, "host"), text_in(self._document, "basePath").rstrip("/")
        schemes = [str(each) for each in list_in(self._document, "schemes")] or ["http"]
        if not host:
            return [{"url": base or "/"}]
        return [{"url": f"{scheme}://{host}{base}"} for scheme in schemes if scheme in ("http", "https")]

    def _item(self, item: JsonObject) -> dict[str, Json]:
        shared = objects_of(list_in(item, "parameters"))
        converted: dict[str, Json] = {"$ref": item["$ref"]} if "$ref" in item else {}
        for method in _METHODS:
            if method in item:
                converted[method] = self._operation(object_in(item, method), shared)
        return converted

    def _operation(self, operation: JsonObject, shared: list[JsonObject]) -> dict[str, Json]:
        moved = ("parameters", "responses", "consumes", "produces", "schemes")
        converted = {name: each for name, each in operation.items() if name not in moved}
        own = [self._resolved(each) for each in objects_of(list_in(operation, "parameters"))]
        names = {(each.get("name"), each.get("in")) for each in own}
        inherited = map(self._resolved, shared)
        whole = [*(each for each in inherited if (each.get("name"), each.get("in")) not in names), *own]
        sent = [each for each in whole if each.get("in") in ("body", "formData")]
        converted["parameters"] = [self._parameter(each) for each in whole if each not in sent]
        consumes = [str(each) for each in list_in(operation if "consumes" in operation else self._document, "consumes")]
        if sent:
            converted["requestBody"] = self._body(sent, consumes)
        produces = list_in(operation if "produces" in operation else self._document, "produces")
        converted["responses"] = {
            status: self._response(each, produces)
            for status, each in objects_by_name(object_in(operation, "responses")).items()
        }
        return converted

    def _resolved(self, parameter: JsonObject) -> JsonObject:
        """A parameter itself: whether it is a body decides where it stands."""
        for _ in range(10):
            reference = parameter.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#/components/parameters/"):
                return parameter
            parameter = object_in(object_in(self._document, "parameters"), reference.rpartition("/")[2])
        return {}

    def _parameter(self, parameter: JsonObject) -> dict[str, Json]:
        if "$ref" in parameter:
            return dict(parameter)
        schema = {name: each for name, each in parameter.items() if name in _OF_SCHEMAS}
        kept = {name: each for name, each in parameter.items() if name not in {*_OF_SCHEMAS, "collectionFormat"}}
        style = {}
        if parameter.get("type") == "array" and parameter.get("in") in ("query", "formData"):
            style = _STYLES.get(text_in(parameter, "collectionFormat"), {"style": "form", "explode": False})
        return {**kept, **style, "schema": _schema(schema)}

    def _body(self, sent: list[JsonObject], consumes: list[str]) -> dict[str, Json]:
        body = next((each for each in sent if each.get("in") == "body"), None)
        if body is not None:
            types = [each for each in consumes if each not in _FORMS] or ["application/json"]
            content = {each: {"schema": body.get("schema", {})} for each in types}
            return {"required": body.get("required", False), "content": content}
        has_files = any(each.get("type") == "file" for each in sent)
        usual = _FORMS[1] if has_files or (_FORMS[0] not in consumes and _FORMS[1] in consumes) else _FORMS[0]
        fields = {text_in(each, "name"): self._parameter(each) for each in sent}
        schema: Json = {
            "type": "object",
            "properties": {name: _described(each) for name, each in fields.items()},
            "required": [text_in(each, "name") for each in sent if each.get("required")],
        }
        encoding: Json = {
            name: {"style": each["style"], "explode": each["explode"]}
            for name, each in fields.items()
            if "style" in each
        }
        return {"content": {usual: {"schema": schema, **({"encoding": encoding} if encoding else {})}}}

    def _response(self, response: JsonObject, produces: Any) -> dict[str, Json]:
        if "$ref" in response:
            return dict(response)
        converted = {name: each for name, each in response.items() if name not in ("schema", "examples", "headers")}
        if "schema" in response:
            types = [str(each) for each in produces] or ["application/json"]
            converted["content"] = {each: {"schema": response["schema"]} for each in types}
        if "headers" in response:
            headers = objects_by_name(object_in(response, "headers"))
            converted["headers"] = {name: {"schema": _schema(each)} for name, each in headers.items()}
        return converted


def _described(field: JsonObject) -> dict[str, Json]:
    return {**object_in(field, "schema"), **({"example": field["x-example"]} if "x-example" in field else {})}


def _schema(schema: JsonObject) -> dict[str, Json]:
    converted = dict(schema)
    if converted.get("type") == "file":
        converted |= {"type": "string", "format": "binary"}
    return converted


def _scheme(scheme: JsonObject) -> dict[str, Json]:
    kind = text_in(scheme, "type")
    if kind == "basic":
        return {"type": "http", "scheme": "basic"}
    if kind != "oauth2":
        return dict(scheme)
    flow = text_in(scheme, "flow")
    urls = {name: scheme[name] for name in ("authorizationUrl", "tokenUrl") if name in scheme}
    return {"type": "oauth2", "flows": {_FLOWS.get(flow, flow): {**urls, "scopes": object_in(scheme, "scopes")}}}


def _with_references(value: Any) -> Any:
    """References to the places that sections have in OpenAPI 3, and what Swagger 2 says of schemas in other words."""
    if isinstance(value, list):
        return [_with_references(each) for each in value]
    if not isinstance(value, dict):
        return value
    converted = dict(_converted_members(value))
    if value.get("x-nullable") is True and isinstance(value.get("type"), str):
        converted["type"] = [value["type"], "null"]
    return converted


def _converted_members(value: dict[str, Json]) -> Iterator[tuple[str, Any]]:
    for name, each in value.items():
        if name == "$ref" and isinstance(each, str):
            for section, place in _SECTIONS.items():
                each = each.replace(f"#/{section}/", f"#/components/{place}/")
            yield name, each
        elif name == "discriminator" and isinstance(each, str):
            yield name, {"propertyName": each}
        else:
            yield name, _with_references(each)
