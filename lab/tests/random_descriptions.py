"""Random OpenAPI descriptions of correct APIs: resources that keep entities, and requests of every style."""

from random import Random
from typing import Any

Schema = dict[str, Any]

_RESOURCES = ("users", "orders", "boxes", "stories", "teams", "data-sets", "invoices")
_WORDS = ("tag", "size", "owner", "größe", "note text", "kind", "x-y", "colour", "when", "filter")
_PATTERNS = (r"^[A-Z]{3}-\d{4}$", r"^[a-z][a-z0-9-]{2,20}$", r"^(red|green|blue)$", r"^#[0-9a-f]{6}$", r"^\+?\d{6,12}$")
_FORMATS = (
    "uuid",
    "date-time",
    "date",
    "email",
    "uri",
    "ipv4",
    "ipv6",
    "hostname",
    "int64",
    "byte",
    "duration",
    "time",
)
_FILE_TYPES = ("application/octet-stream", "image/png", "image/*", "application/pdf", "video/mp4", "text/csv")
_PART_TYPES = ("image/png", "image/jpeg, image/gif", "image/*", "application/zip", "text/csv")
_KINDS: dict[type, str] = {str: "string", int: "integer", bool: "boolean"}
IDS = (
    *("server-integer", "server-uuid", "client-text", "client-integer", "optional-integer", "location", "wrapped"),
    "put",
)


class RandomDescription:
    """A document of a seed; `resources` are the ways in which its resources get their ids, by their paths."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._is_old = self._random.random() < 0.5
        self._schemas: dict[str, Schema] = {}
        self.resources: dict[str, str] = {}
        self._paths: dict[str, Any] = {}
        for name in self._random.sample(_RESOURCES, self._random.randint(1, 3)):
            self._add_resource(name)
        for index in range(self._random.randint(1, 3)):
            self._add_request(index)
        for index in range(self._random.randint(0, 2)):
            self._add_upload(index)
        self.document: dict[str, Any] = {
            "openapi": "3.0.3" if self._is_old else "3.1.0",
            "info": {"title": f"Seed {seed}", "version": "1"},
            "servers": [
                {"url": self._random.choice(["/", "/api/v1", "https://api.example.com/v2", "http://localhost:1/a b"])}
            ],
            "paths": self._paths,
            "components": {"schemas": self._schemas, "securitySchemes": {}},
        }
        self._add_security()

    def _add_security(self) -> None:
        scheme: Any = self._random.choice(
            [
                None,
                {"type": "http", "scheme": "basic"},
                {"type": "apiKey", "in": "header", "name": "X-Key"},
                {"type": "apiKey", "in": "query", "name": "key"},
                {"type": "http", "scheme": "bearer"},
            ]
        )
        if scheme is not None:
            self.document["components"]["securitySchemes"]["auth"] = scheme
            self.document["security"] = [{"auth": []}]

    def _maybe(self, share: float = 0.5) -> bool:
        return self._random.random() < share

    # Schemas.

    def schema(self, depth: int = 0) -> Schema:
        """A schema that some value obeys."""
        kinds = ["string", "integer", "number", "boolean", "enum", "format", "pattern"]
        kinds += ["array", "object", "alternatives", "whole", "map", "reference"] if depth < 3 else []
        kind = self._random.choice(kinds)
        schema: Schema = getattr(self, f"_{kind}")(depth)
        if self._is_old and "type" in schema and isinstance(schema["type"], str) and self._maybe(0.1):
            schema["nullable"] = True
        return schema

    def _string(self, _depth: int) -> Schema:
        schema: Schema = {"type": "string"}
        if self._maybe():
            schema["minLength"] = self._random.randint(0, 30)
        if self._maybe():
            schema["maxLength"] = schema.get("minLength", 0) + self._random.randint(1, 20)
        if self._maybe(0.1) and not schema.keys() & {"minLength", "maxLength"}:
            schema["example"] = self._random.choice(["two words", 'quoted "text"', "ä|{ö}", "a&b=c", "${x}"])
        return schema

    def _integer(self, _depth: int) -> Schema:
        low = self._random.choice([-1000, 0, 1, 5, 10**9])
        schema: Schema = {"type": "integer", "minimum": low, "maximum": low + self._random.choice([0, 1, 10, 10**10])}
        if self._maybe(0.2):
            step = self._random.choice([2, 5, 10])
            return {"type": "integer", "multipleOf": step, "minimum": low, "maximum": low + 2 * step}
        if self._maybe(0.2):
            schema["maximum"] += 2
            excluded = {"exclusiveMinimum": True} if self._is_old else {"exclusiveMinimum": schema.pop("minimum")}
            schema |= excluded
        return schema if self._maybe(0.8) else {"type": "integer", "format": "int64", "default": 7}

    def _number(self, _depth: int) -> Schema:
        low = self._random.choice([-2.5, 0, 0.001, 1e6])
        schema = {"type": "number", "minimum": low, "maximum": low + self._random.choice([0.01, 1, 1e9])}
        return schema if self._maybe(0.8) else {"type": "number", "multipleOf": 0.25, "minimum": 0, "maximum": 2}

    def _boolean(self, _depth: int) -> Schema:
        return {"type": "boolean"}

    def _enum(self, _depth: int) -> Schema:
        values: list[Any] = self._random.choice(
            [["a", "b"], ["a|b", "c d", "é"], [1, 2, 3], ["one"], ["x", "{y}"], [True]]
        )
        return {"enum": values, "type": _KINDS[type(values[0])]}

    def _format(self, _depth: int) -> Schema:
        return {"type": "string", "format": self._random.choice(_FORMATS)}

    def _pattern(self, _depth: int) -> Schema:
        return {"type": "string", "pattern": self._random.choice(_PATTERNS)}

    def _array(self, depth: int) -> Schema:
        least = self._random.randint(0, 3)
        schema: Schema = {"type": "array", "items": self.schema(depth + 1), "minItems": least}
        if self._maybe():
            schema["maxItems"] = least + self._random.randint(0, 2)
        if self._maybe(0.2):
            items = self._random.choice(
                [{"type": "integer"}, {"type": "string", "enum": list("abcd")}, {"type": "string"}]
            )
            schema |= {"uniqueItems": True, "items": items}
        if not self._is_old and self._maybe(0.2):
            schema = {"type": "array", "prefixItems": [self.schema(depth + 1), {"type": "integer"}], "minItems": 2}
        return schema

    def _object(self, depth: int) -> Schema:
        names = self._random.sample(_WORDS, self._random.randint(1, 4))
        properties = {name: self.schema(depth + 1) for name in names}
        required = [name for name in names if self._maybe()]
        schema: Schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        if self._maybe(0.3):
            schema["additionalProperties"] = False
        if self._maybe(0.1):
            schema["properties"]["made"] = {"type": "string", "format": "date-time", "readOnly": True}
            schema["required"] = [*required, "made"] if self._maybe() else required or ["made"]
        return schema

    def _map(self, depth: int) -> Schema:
        schema: Schema = {"type": "object", "additionalProperties": self.schema(depth + 1)}
        if self._maybe():
            schema["minProperties"] = self._random.randint(1, 3)
        return schema

    def _alternatives(self, depth: int) -> Schema:
        first, second = (
            {
                "type": "object",
                "required": [name],
                "properties": {name: self.schema(depth + 1)},
                "additionalProperties": False,
            }
            for name in ("left", "right")
        )
        return {self._random.choice(["oneOf", "anyOf"]): [first, second]}

    def _whole(self, depth: int) -> Schema:
        parts = [
            {"type": "object", "required": [name], "properties": {name: self.schema(depth + 1)}}
            for name in ("base", "more")
        ]
        return {"allOf": parts}

    def _reference(self, depth: int) -> Schema:
        name = f"Shared{len(self._schemas)}"
        self._schemas[name] = {"type": "object", "properties": {}}  # before its members: it may hold itself
        members = {"value": self.schema(depth + 1), "again": {"$ref": f"#/components/schemas/{name}"}}
        self._schemas[name] |= {"properties": members, "required": ["value"]}
        return {"$ref": f"#/components/schemas/{name}"}

    def simple(self) -> Schema:
        """A schema of a parameter without an inner structure."""
        return self._random.choice([self._string, self._integer, self._enum, self._format, self._pattern])(0)

    # Operations.

    def _add_resource(self, name: str) -> None:
        how = self._random.choice(IDS)
        self.resources[f"/{name}"] = how
        id_name = "key" if how == "client-text" else "id"
        ids: dict[str, Schema] = {
            "server-uuid": {"type": "string", "format": "uuid", "readOnly": True},
            "client-text": {"type": "string", **({"maxLength": 40} if self._maybe() else {})},
            "client-integer": {"type": "integer"},
            "optional-integer": {"type": "integer"},
        }
        members = {word: self.schema(1) for word in self._random.sample(_WORDS, 2)}
        entity: Schema = {
            "type": "object",
            "properties": {id_name: ids.get(how, {"type": "integer", "readOnly": True}), **members},
            "required": [id_name] if how.startswith("client") else [],
        }
        if not entity["required"]:
            del entity["required"]
        title = name.replace("-", "").title()
        self._schemas[title] = entity
        reference = {"$ref": f"#/components/schemas/{title}"}
        shown = {"type": "object", "properties": {"item": reference}} if how == "wrapped" else reference
        reply = {"content": {"application/json": {"schema": shown}}}
        body = {"required": True, "content": {"application/json": {"schema": reference}}}
        created: Any = {"description": "made", **reply}
        if how == "location":
            created = {"description": "made", "headers": {"Location": {"schema": {"type": "string"}}}}
        status = "200" if self._maybe(0.3) else "201"
        item: dict[str, Any] = {
            "parameters": [
                {
                    "name": id_name,
                    "in": "path",
                    "required": True,
                    "schema": {"type": ids.get(how, {"type": "integer"})["type"]},
                }
            ],
            "get": {"responses": {"200": {"description": "it", **reply}, "404": {"description": "none"}}},
        }
        if self._maybe():
            item["put"] = {"requestBody": body, "responses": {"200": {"description": "changed"}}}
        if self._maybe():
            item["delete"] = {"responses": {"204": {"description": "gone"}}}
        if self._maybe(0.3):
            item["head"] = {"responses": {"200": {"description": "there"}}}
        self._paths[f"/{name}"] = {
            "post": {"operationId": f"create {name}", "requestBody": body, "responses": {status: created}},
            "get": {"responses": {"200": {"description": "all"}}},
        }
        self._paths[f"/{name}/{{{id_name}}}"] = item
        if how == "put":
            # The client chooses the id in the path, and nothing else makes one.
            item["put"] = {"requestBody": body, "responses": {"201": {"description": "made"}}}
            del self._paths[f"/{name}"]["post"]
        if self._maybe(0.4):
            self._add_parts(f"/{name}/{{{id_name}}}/parts", item["parameters"])

    def _add_parts(self, path: str, parameters: list[Any]) -> None:
        """What lies within an entity: its replies do not name that one."""
        self.resources[path] = "within"
        part = {
            "type": "object",
            "properties": {"number": {"type": "integer", "readOnly": True}, "note": self.simple()},
        }
        content = {"content": {"application/json": {"schema": part}}}
        item: dict[str, Any] = {
            "parameters": [
                *parameters,
                {"name": "number", "in": "path", "required": True, "schema": {"type": "integer"}},
            ],
            "get": {"responses": {"200": {"description": "it", **content}, "404": {"description": "none"}}},
        }
        if self._maybe():
            item["delete"] = {"responses": {"204": {"description": "gone"}}}
        creation = {"requestBody": content, "responses": {"201": {"description": "made", **content}}}
        self._paths[path] = {"parameters": parameters, "post": creation}
        self._paths[f"{path}/{{number}}"] = item

    def _add_request(self, index: int) -> None:
        parameters: list[Any] = []
        path = f"/request {index}" if self._maybe(0.2) else f"/request{index}"
        if self._maybe():
            path += "/{part}"
            style = self._random.choice(["simple", "label", "matrix"])
            schema = self._flat() if self._maybe() else self.simple()
            parameters.append(self._parameter("part", "path", style, schema))
        for name in self._random.sample(_WORDS, self._random.randint(0, 3)):
            place = self._random.choice(["query", "query", "header", "cookie"])
            name = name if place == "query" else f"H{len(parameters)}"
            styles = ["form", "spaceDelimited", "pipeDelimited", "deepObject"] if place == "query" else [None]
            chosen = self._random.choice(styles)
            kinds = {"deepObject": [self._flat_object], "spaceDelimited": [self._flat], "pipeDelimited": [self._flat]}
            schema = self._random.choice(kinds.get(str(chosen), [self.simple, self._flat, self._flat_object]))()
            parameters.append(self._parameter(name, place, chosen, schema))
        method = self._random.choice(["get", "post", "put", "delete", "options"])
        entry: dict[str, Any] = {"parameters": parameters, "responses": {"200": {"description": "ok"}}}
        if method in ("post", "put"):
            kind = self._random.choice(
                ["application/json", "application/x-www-form-urlencoded", "application/vnd.a+json"]
            )
            schema = self._flat_object() if "form" in kind else self.schema()
            entry["requestBody"] = {"content": {kind: {"schema": schema}}}
        if self._maybe(0.1):
            entry["responses"] = {"302": {"description": "elsewhere"}}
        self._paths.setdefault(path, {})[method] = entry

    def _add_upload(self, index: int) -> None:
        method = self._random.choice(["post", "put", "patch"])
        if self._maybe(0.3):
            media_type = self._random.choice(_FILE_TYPES)
            content: dict[str, Any] = {media_type: {"schema": self._file()}}
        else:
            properties: dict[str, Schema] = {}
            encoding: dict[str, Any] = {}
            for name in self._random.sample(_WORDS, self._random.randint(1, 4)):
                makers = [self.simple, self._file, self._files, self._flat_object, self._flat]
                kind = self._random.choice(makers)
                properties[name] = kind()
                if kind in (self._file, self._files) and self._maybe():
                    encoding[name] = {"contentType": self._random.choice(_PART_TYPES)}
                elif kind == self._flat_object and self._maybe():
                    encoding[name] = {"contentType": "application/vnd.a+json"}
            required = [name for name in properties if self._maybe()]
            schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
            content = {"multipart/form-data": {"schema": schema, **({"encoding": encoding} if encoding else {})}}
        entry = {"requestBody": {"required": True, "content": content}, "responses": {"204": {"description": "kept"}}}
        self._paths[f"/upload{index}"] = {method: entry}

    def _file(self) -> Schema:
        schema: Schema = {"type": "string", "format": "binary"}
        if self._maybe():
            schema["minLength"] = self._random.choice([1, 50, 1000])
        if self._maybe():
            schema["maxLength"] = schema.get("minLength", 1) + self._random.choice([0, 1, 60])
        if not self._is_old and self._maybe():
            schema = {**schema, "contentMediaType": "application/octet-stream"}
            del schema["format"]
        return schema

    def _files(self) -> Schema:
        return {"type": "array", "items": self._file(), "minItems": self._random.randint(1, 3)}

    def _flat(self) -> Schema:
        items = self._random.choice([{"type": "integer", "minimum": 1}, {"type": "string", "enum": ["a/b", "c", "é"]}])
        return {"type": "array", "items": items, "minItems": self._random.randint(1, 3)}

    def _flat_object(self) -> Schema:
        properties = {"one": {"type": "integer", "minimum": 3}, "two": {"type": "string", "enum": ["x", "y z"]}}
        return {"type": "object", "properties": properties, "required": ["one", "two"]}

    def _parameter(self, name: str, place: str, style: str | None, schema: Schema) -> dict[str, Any]:
        parameter: dict[str, Any] = {"name": name, "in": place, "required": True, "schema": schema}
        if style is not None:
            parameter["style"] = style
        if style == "deepObject":
            parameter["explode"] = True
        elif style in ("spaceDelimited", "pipeDelimited"):
            parameter["explode"] = False
        elif self._maybe():
            parameter["explode"] = self._maybe()
        return parameter
