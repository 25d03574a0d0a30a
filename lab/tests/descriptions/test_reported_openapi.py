"""Descriptions that were reported as imported wrongly, and others of the same kinds."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bakeoff.descriptions.imported import ImportedApi, ImportedOperation
from bakeoff.descriptions.openapi_import import import_openapi
from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.scaffold.cases import sample
from bakeoff.workload.loader import load_workload

REPORTED = Path(__file__).parent / "reported"


def reported(name: str) -> ImportedApi:
    return import_openapi(REPORTED / name)


def operations(api: ImportedApi) -> dict[str, ImportedOperation]:
    return {each.name: each for each in api.operations}


def described(folder: Path, paths: Mapping[str, Any], **others: Any) -> ImportedApi:
    """The import of a small document."""
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths, **others}
    file = folder / "api.json"
    file.write_text(json.dumps(document), "utf-8")
    return import_openapi(file)


OK = {"200": {"description": "ok"}}


def getting(*parameters: Mapping[str, Any], responses: Mapping[str, Any] = OK, **others: Any) -> dict[str, Any]:
    return {"operationId": "op", "parameters": list(parameters), "responses": responses, **others}


def sending(schema: Mapping[str, Any], media_type: str = "application/json", **beside: Any) -> dict[str, Any]:
    body = {"required": True, "content": {media_type: {"schema": schema, **beside}}}
    return {"operationId": "op", "requestBody": body, "responses": {"201": {"description": "made"}}}


def message_of(folder: Path, schema: Mapping[str, Any], **others: Any) -> Any:
    """A message that a schema makes."""
    api = described(folder, {"/a": {"post": sending(schema, **others)}})
    assert api.advice == [], api.advice
    return sample(operations(api)["op"].message or "")


# Values.


def test_values_are_those_that_the_schema_allows() -> None:
    message: Any = sample(operations(reported("values.yaml"))["add"].message or "")

    assert message["picture"] in ("QUJD", "REVG", "R0hJ")
    assert [type(each) for each in message["pair"]] == [int, str]
    assert message["bag"] and all(isinstance(each, int) for each in message["bag"].values())
    assert sorted(message["set"]) == ["a", "b", "c"]
    assert message["step"] in (0, 0.25, 0.5, 0.75, 1)
    assert re.fullmatch(r"PT\d+M", message["wait"])


def test_a_range_of_decimals_is_one_that_a_slot_holds() -> None:
    assert operations(reported("decimal.yaml"))["add"].message == '{"amount":${decimal 0.00 42949672.93}}'


def test_whole_numbers_as_texts_are_in_quotes() -> None:
    assert operations(reported("int64.yaml"))["add"].message == '{"count":"${integer 1 999}","size":"${integer 1 999}"}'


@pytest.mark.parametrize(
    ("schema", "allowed"),
    [
        ({"type": "string", "format": "uint32"}, lambda value: value.isdecimal()),
        ({"type": "string", "pattern": r"^P\d+Y$", "maxLength": 4}, lambda value: re.fullmatch(r"P\d{1,2}Y", value)),
        (
            {"type": "string", "pattern": r"^#\w*\.\d+$", "maxLength": 6},
            lambda value: re.fullmatch(r"#\w*\.\d+", value),
        ),
        ({"type": "string", "format": "double"}, lambda value: float(value) > 0),
        ({"type": "number", "minimum": 0.5, "maximum": 0.6}, lambda value: 0.5 <= value <= 0.6),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.001}, lambda value: 0 < value < 0.001),
        ({"type": "integer", "format": "int32", "minimum": 2147483000}, lambda value: value <= 2147483647),
        ({"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}, lambda value: 1 <= value <= 999),
        ({"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}, lambda value: 1 <= value <= 999),
        ({"type": "number", "minimum": -1e308, "maximum": 1e308}, lambda value: 1 <= value <= 999),
        ({"type": "integer", "minimum": 9e18}, lambda value: value == 9 * 10**18),
        ({"type": "number", "multipleOf": 0.01, "maximum": 0.03, "minimum": 0}, lambda value: 0 <= value <= 0.03),
        ({"type": "array", "minItems": 30, "items": {"type": "integer"}}, lambda value: len(value) == 30),
        (
            {"type": "array", "uniqueItems": True, "minItems": 9, "items": {"type": "integer"}},
            lambda v: len(set(v)) == 9,
        ),
        ({"type": "array", "contains": {"const": 7}, "items": {"type": "integer"}}, lambda value: 7 in value),
        ({"type": "array", "maxItems": 0, "items": {}}, lambda value: value == []),
        ({"type": "object", "required": ["a"], "additionalProperties": {"type": "integer"}}, lambda v: v["a"] > 0),
        (
            {"type": "object", "patternProperties": {"^x-": {"type": "integer"}}, "minProperties": 2},
            lambda value: len(value) == 2 and all(each.startswith("x-") for each in value),
        ),
        (
            {"type": "object", "propertyNames": {"enum": ["a", "b"]}, "additionalProperties": {}, "minProperties": 1},
            lambda value: value.keys() <= {"a", "b"} and value,
        ),
        (
            {
                "properties": {"kind": {"enum": ["card", "cash"]}, "card": {"type": "string"}},
                "required": ["kind"],
                "if": {"properties": {"kind": {"const": "card"}}},
                "then": {"required": ["card"]},
            },
            lambda value: value["kind"] == "cash" or "card" in value,
        ),
        (
            {
                "oneOf": [
                    {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}},
                    {"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}}},
                ]
            },
            lambda value: len({"a", "b"} & value.keys()) == 1,
        ),
        ({"not": {"required": ["b"]}, "properties": {"a": {"type": "string"}, "b": {}}}, lambda v: "b" not in v),
        (
            {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "dependentRequired": {"a": ["b"]}},
            lambda value: "a" not in value or "b" in value,
        ),
        ({"type": "string", "pattern": r"^\d{3}-[A-F]{2}$"}, lambda value: re.fullmatch(r"\d{3}-[A-F]{2}", value)),
        ({"type": "string", "pattern": r"\d{5}"}, lambda value: re.fullmatch(r"\d{5}", value)),
        ({"type": "string", "pattern": "[a-f]+|x"}, lambda value: re.fullmatch("[a-f]+|x", value)),
        ({"type": "string", "pattern": r"(?=.*\d)(?=.*[a-z])", "minLength": 8}, lambda value: len(value) >= 8),
        ({"type": "string", "pattern": r"^\p{Lu}\p{L}+$"}, lambda value: value.isalpha() and value[0].isupper()),
        ({"type": "string", "format": "email", "maxLength": 12}, lambda value: len(value) <= 12 and "@" in value),
        ({"type": "string", "format": "ipv6"}, lambda value: value.count(":") > 2),
        ({"type": ["null", "string"], "enum": [None, "x"]}, lambda value: value == "x"),
        ({"type": "string", "enum": ["a|b", "{c}", 'd"', "é"]}, lambda value: value in ("a|b", "{c}", 'd"', "é")),
        ({"type": "string", "const": "${uuid}"}, lambda value: value == "${uuid}"),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "integer", "readOnly": True}, "b": {"type": "integer", "writeOnly": True}},
                "required": ["a", "b"],
            },
            lambda value: value.keys() == {"b"},
        ),
        (
            {"allOf": [{"type": "integer", "minimum": 5}, {"maximum": 9}, {"minimum": 7}]},
            lambda value: 7 <= value <= 9,
        ),
        ({"properties": {"a": True, "b": {"type": "integer"}}}, lambda value: "a" in value),
        (
            {"type": "string", "contentMediaType": "application/json", "contentSchema": {"const": {"a": 1}}},
            lambda value: json.loads(value) == {"a": 1},
        ),
    ],
)
def test_other_keywords_are_followed_too(tmp_path: Path, schema: dict[str, Any], allowed: Any) -> None:
    assert allowed(message_of(tmp_path, schema))


def test_a_discriminator_names_the_alternative_that_is_sent(tmp_path: Path) -> None:
    def kind(name: str, **properties: Any) -> dict[str, Any]:
        required = ["kind", *properties]
        return {"type": "object", "required": required, "properties": {"kind": {"type": "string"}, **properties}}

    schemas = {
        "Cat": kind("Cat", purrs={"type": "boolean"}),
        "Dog": kind("Dog", barks={"type": "boolean"}),
        "Pet": {
            "oneOf": [{"$ref": "#/components/schemas/Dog"}, {"$ref": "#/components/schemas/Cat"}],
            "discriminator": {"propertyName": "kind", "mapping": {"hound": "#/components/schemas/Dog"}},
        },
    }
    paths = {"/a": {"post": sending({"$ref": "#/components/schemas/Pet"})}}

    message: Any = sample(operations(described(tmp_path, paths, components={"schemas": schemas}))["op"].message or "")

    assert (message["kind"], message.keys()) == ("hound", {"kind", "barks"})


def test_examples_and_defaults_are_sent() -> None:
    found = operations(reported("examples.yaml"))

    assert found["read"].call["path"] == "/sets/books?lang=en"
    assert sample(found["order"].message or "") == {"sku": "LH-400", "n": 2}
    assert reported("examples.yaml").advice == []


def test_examples_that_their_schema_does_not_allow_are_named_and_replaced(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}
    api = described(tmp_path, {"/a": {"post": sending(schema, example={"n": "many", "s": "x"})}})

    message: Any = sample(operations(api)["op"].message or "")
    assert (type(message["n"]), message["s"]) == (int, "x")
    assert api.advice == ['op: the example of its body breaks its schema: "many" is not of type "integer".']


def test_examples_that_break_their_schemas_are_one_line(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    paths = {f"/{at}": {"post": sending(schema, example={"n": f"x{at}"})} for at in range(5)}
    (line,) = described(tmp_path, paths).advice
    assert line.startswith("the example of its body breaks its schema (5 times: ")
    assert 'POST /1: "x1" is not of type "integer", POST /2: ' in line
    assert line.endswith("and 2 more)")


def test_names_differ_in_each_message_and_keep_their_example_as_a_beginning(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string", "example": "Tea pot"}}}
    api = described(tmp_path, {"/a": {"post": sending(schema)}})

    assert operations(api)["op"].message == '{"name":"Tea pot-${run}-${user}-${sequence}"}'


@pytest.mark.parametrize("example", ["shop.example.com", "report.pdf"])
def test_names_of_hosts_and_files_keep_their_example_as_an_end(tmp_path: Path, example: str) -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string", "example": example}}}
    api = described(tmp_path, {"/a": {"post": sending(schema)}})

    assert operations(api)["op"].message == f'{{"name":"u${{run}}-${{user}}-${{sequence}}-{example}"}}'


# Ids.


def test_ids_that_the_client_chooses_are_its_own() -> None:
    found = operations(reported("pets.yaml"))

    message: Any = sample(found["add"].message or "")
    assert message["id"] > 10**14
    assert found["add"].effect == {
        "kind": "put",
        "document": "",
        "key": ["pet", "${captured.id}"],
        "members": ["name"],
    }
    assert found["read"].needs == found["remove"].needs == "pet"


def test_an_update_keeps_the_name_of_the_entity() -> None:
    found = operations(reported("users.yaml"))

    assert '"username":"u-${run}-${user}-${sequence}"' in str(found["add"].message)
    assert '"username":"${captured.id}"' in str(found["change"].message)


THING = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "integer"}, "label": {"type": "string"}},
}


def replying(schema: Mapping[str, Any], status: str = "200", **others: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"responses": {status: {"description": "ok", "content": content}}, **others}


def test_an_update_of_the_collection_names_an_entity_that_exists(tmp_path: Path) -> None:
    body = {"requestBody": {"content": {"application/json": {"schema": THING}}}}
    paths = {
        "/things": {
            "post": {**replying(THING), **body, "operationId": "add"},
            "put": {**replying(THING), **body, "operationId": "change"},
        },
        "/things/{id}": {"get": {**replying(THING), "operationId": "read"}},
    }

    change = operations(described(tmp_path, paths))["change"]

    assert (change.needs, '"id":${captured.id}' in str(change.message)) == ("thing", True)


def test_ids_within_wrapped_replies_are_captured(tmp_path: Path) -> None:
    wrapped = {
        "type": "object",
        "properties": {"article": {"type": "object", "properties": {"slug": {"type": "string"}}}},
    }
    paths = {
        "/articles": {"post": {**replying(wrapped, "201"), "operationId": "add"}},
        "/articles/{slug}": {"get": {**replying(wrapped), "operationId": "read"}},
    }

    found = operations(described(tmp_path, paths))

    assert found["add"].call["capture"] == {"id": "/article/slug"}
    assert found["read"].call["reply"] == {"/article/slug": "${captured.id}"}


def test_ids_of_other_entities_are_those_that_exist(tmp_path: Path) -> None:
    order = {"type": "object", "required": ["thingId"], "properties": {"thingId": {"type": "integer"}}}
    paths = {
        "/things": {"post": {**replying(THING, "201"), "operationId": "add"}},
        "/things/{id}": {"get": {**replying(THING), "operationId": "read"}},
        "/orders": {"post": {**sending(order), "operationId": "order"}},
    }

    order_thing = operations(described(tmp_path, paths))["order"]

    assert (order_thing.needs, order_thing.message) == ("thing", '{"thingId":${captured.id}}')


BOOK = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "author": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "integer"}},
        "editor": {"type": "string"},
    },
}


def keeping(kind: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The paths of a collection."""
    body = {"requestBody": {"content": {"application/json": {"schema": schema}}}}
    return {
        f"/{kind}s": {"post": {**replying(schema, "201"), **body, "operationId": f"add-{kind}"}},
        f"/{kind}s/{{id}}": {
            "get": {**replying(schema), "operationId": f"read-{kind}"},
            "put": {**replying(schema), **body, "operationId": f"change-{kind}"},
            "delete": {"operationId": f"remove-{kind}", "responses": {"204": {"description": "gone"}}},
        },
    }


def test_a_member_called_like_an_entity_holds_its_id_and_updates_keep_it(tmp_path: Path) -> None:
    api = described(tmp_path, {**keeping("author", THING), **keeping("book", BOOK), **keeping("editor", THING)})
    found = operations(api)

    add, change = found["add-book"], found["change-book"]
    assert (add.needs, add.creates) == ("author", "book")
    assert '"author":${captured.id}' in str(add.message)
    assert add.call["capture"] == {"id": "/id", "parent": "sent:${captured.id}"}
    assert (change.needs, '"author":${captured.parent}' in str(change.message)) == ("book", True)
    # A text may be a name.
    assert '"editor":"editor-' in str(add.message)
    assert (found["remove-author"].weight, found["remove-book"].weight) == (0, 1)
    assert "remove-author: The deletion of what others refer to has weight 0: they may go with it." in api.advice
    assert [each.kind for each in api.lives] == ["author", "editor"]


def test_a_list_called_like_entities_holds_the_id_of_one(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"tags": BOOK["properties"]["tags"]}}  # type: ignore[index]
    paths = {**keeping("tag", THING), "/marks": {"post": {**sending(schema), "operationId": "mark"}}}

    mark = operations(described(tmp_path, paths))["mark"]

    assert (mark.needs, mark.message) == ("tag", '{"tags":[${captured.id}]}')


def test_creations_that_refer_to_one_another_are_not_linked_in_a_circle(tmp_path: Path) -> None:
    def having(name: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"id": {"type": "integer"}, name: {"type": "integer"}}}

    paths = {
        **keeping("author", having("book")),
        **keeping("book", having("shop")),
        **keeping("shop", having("author")),
    }
    found = operations(described(tmp_path, paths))

    needs = {kind: found[f"add-{kind}"].needs for kind in ("author", "book", "shop")}
    assert not all(needs.values()), needs


def test_names_of_headers_have_no_case_and_the_last_one_counts(tmp_path: Path) -> None:
    parameters = [
        {"name": name, "in": "header", "required": True, "schema": {"type": "string", "enum": [value]}}
        for name, value in (("x-tenant", "a"), ("X-Tenant", "b"))
    ]

    call = operations(described(tmp_path, {"/a": {"get": getting(*parameters)}}))["op"].call

    assert call["headers"] == {"X-Tenant": "b"}


def test_one_parameter_is_one_entity_and_others_get_values() -> None:
    api = reported("two.yaml")
    found = operations(api)

    assert list(found) == ["createTeam", "getLabel", "listMembers", "addMember"]
    assert found["getLabel"].call["path"] == "/teams/${captured.id}/labels/label-${alphanumeric 8}"
    assert found["listMembers"].call["path"] == found["addMember"].call["path"] == "/teams/${captured.id}/members"
    assert api.left_out == []
    assert api.advice == ["getLabel: {label} in the path is label-${alphanumeric 8}. Write values that exist."]


def test_an_entity_within_another_is_linked_to_both(tmp_path: Path) -> None:
    member = {"type": "object", "properties": {"id": {"type": "integer"}, "thingId": {"type": "integer"}}}
    paths = {
        "/things": {"post": {**replying(THING, "201"), "operationId": "add"}},
        "/things/{thingId}": {"get": {**replying(THING), "operationId": "read"}},
        "/things/{thingId}/parts": {"post": {**replying(member, "201"), "operationId": "addPart"}},
        "/things/{thingId}/parts/{part}": {"get": {**replying(member), "operationId": "readPart"}},
    }

    found = operations(described(tmp_path, paths))

    assert found["addPart"].call["capture"] == {"id": "/id", "parent": "sent:${captured.id}"}
    assert found["readPart"].call["path"] == "/things/${captured.parent}/parts/${captured.id}"


def test_bodies_name_the_entities_of_their_paths_as_the_path_does(tmp_path: Path) -> None:
    part = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "thing_id": {"type": "string"}, "name": {"type": "string"}},
    }
    body = {"requestBody": {"content": {"application/json": {"schema": part}}}}
    paths = {
        "/things": {"post": {**replying(THING, "201"), "operationId": "add"}},
        "/things/{thing_id}": {"get": {**replying(THING), "operationId": "read"}},
        "/things/{thing_id}/parts": {"post": {**replying(part, "201"), **body, "operationId": "addPart"}},
        "/things/{thing_id}/parts/{id}": {"put": {**replying(part), **body, "operationId": "changePart"}},
    }

    found = operations(described(tmp_path, paths))

    assert '"thing_id":"${captured.id}"' in str(found["addPart"].message)
    assert '"thing_id":"${captured.parent}"' in str(found["changePart"].message)
    assert '"id":${captured.id}' in str(found["changePart"].message)


def test_ids_are_called_like_collections_whatever_their_marks(tmp_path: Path) -> None:
    model = {"type": "object", "properties": {"access_model_id": {"type": "string"}, "name": {"type": "string"}}}
    paths = {
        "/access-models": {"post": {**replying(model, "201"), "operationId": "add"}},
        "/access-models/{id}": {"get": {**replying(model), "operationId": "read"}},
    }

    found = operations(described(tmp_path, paths))

    assert found["add"].call["capture"] == {"id": "/access_model_id"}
    assert found["read"].call["path"] == "/access-models/${captured.id}"


def test_an_entity_of_nothing_but_its_id_is_not_compared(tmp_path: Path) -> None:
    name = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    body = {"requestBody": {"content": {"application/json": {"schema": name}}}}
    paths = {
        "/things": {"post": {**replying(name, "201"), **body, "operationId": "add"}},
        "/things/{name}": {"get": {**replying(name), "operationId": "read"}},
    }

    described(tmp_path, paths)

    (tmp_path / "bakeoff.toml").write_text('[workloads.w]\nopenapi = "api.json"\n', "utf-8")
    add, read = load_workload(Project(tmp_path), "w").declared.operations
    assert (add.creates, add.effect, read.needs) == ("thing", None, "thing")


def test_tokens_of_other_pages_are_not_sent(tmp_path: Path) -> None:
    text = {"type": "string"}
    page = {"type": "object", "properties": {"token": text, "limit": {"const": 5}}}
    schema = {
        "type": "object",
        "required": ["cursor"],
        "properties": {"page_token": text, "cursor": {"const": "c"}, "after": {"const": "noon"}, "page": page},
    }

    assert message_of(tmp_path, schema) == {"cursor": "c", "after": "noon", "page": {"limit": 5}}


def test_what_would_break_other_operations_is_left_out(tmp_path: Path) -> None:
    paths = {
        "/things": {"post": replying(THING, "201"), "delete": replying({}, "204")},
        "/things/{id}": {"get": replying(THING)},
    }

    assert described(tmp_path, paths).left_out == [
        "DELETE /things is left out: it deletes what the other operations use."
    ]


# Statuses, methods and what is left out.


def test_redirects_are_expected_where_nothing_else_is_described() -> None:
    assert operations(reported("redirect.yaml"))["download"].call["expect"] == 302


@pytest.mark.parametrize(
    ("method", "statuses", "expected"),
    [
        ("get", ["200", "404"], 200),
        ("post", ["200", "201"], [201, 200]),
        ("put", ["200", "201", "204"], [200, 201, 204]),
        ("get", ["307", "default"], 307),
        ("get", ["3XX"], [302, 301, 303, 307, 308]),
        ("delete", ["2XX"], [204, 200, 202]),
        ("get", ["default"], [200, 201, 202, 204]),
        ("get", ["404"], 200),
    ],
)
def test_every_status_of_success_is_expected(tmp_path: Path, method: str, statuses: list[str], expected: Any) -> None:
    responses = {status: {"description": "one"} for status in statuses}
    api = described(tmp_path, {"/a": {method: getting(responses=responses)}})

    assert operations(api)["op"].call["expect"] == expected


def test_nothing_is_left_out_silently() -> None:
    api = reported("deprecated.yaml")

    assert list(operations(api)) == ["add", "probe"]
    assert operations(api)["probe"].call["method"] == "HEAD"
    assert api.left_out == ["GET /items is left out: it is deprecated."]


def test_notes_of_one_reason_are_one_line(tmp_path: Path) -> None:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in ("org", "repo")
    ]
    paths = {
        f"/{{org}}/{{repo}}/part{index}": {
            "get": {"operationId": f"part{index}", "parameters": parameters, "responses": OK, "deprecated": index < 20}
        }
        for index in range(300)
    }

    api = described(tmp_path, paths, servers=[{"url": "https://api.example.com/v3"}])

    listed = "GET /{org}/{repo}/part0, GET /{org}/{repo}/part1, GET /{org}/{repo}/part2 and 17 more"
    assert api.left_out == [f"20 operations are left out, each since it is deprecated: {listed}."]
    assert len(api.advice) == 2
    assert "(280 times: part20, part21, part22 and 277 more)" in api.advice[0]


@pytest.mark.parametrize(
    ("paths", "line"),
    [
        ({"/a": {"trace": getting()}}, "TRACE /a is left out: its method is TRACE."),
        ({"/a#x": {"get": getting()}}, "GET /a#x is left out: its path has a fragment, which no request sends."),
        ({"/a": {"get": getting(responses={"101": {"description": "up"}})}}, "it is no request but a WebSocket"),
        (
            {"/a": {"get": getting(responses={"101": {"description": "up"}, "401": {"description": "no"}})}},
            "it is no request but a WebSocket",
        ),
        (
            {"/a": {"get": getting(responses={"200": {"description": "OK", "content": {"text/event-stream": {}}}})}},
            "its reply is a stream of events",
        ),
        (
            {
                "/a": {
                    "post": getting(responses={"200": {"description": "A successful response.(streaming responses)"}})
                }
            },
            "its reply is a stream of events",
        ),
        ({"/a": {"post": sending({}, "application/xml")}}, "POST /a is left out: its body is application/xml."),
        ({"/a": {"patch": sending({}, "application/json-patch+json")}}, "its body is application/json-patch+json"),
    ],
)
def test_what_no_workload_holds_is_named(tmp_path: Path, paths: dict[str, Any], line: str) -> None:
    (left_out,) = described(tmp_path, {**paths, "/ok": {"get": {"responses": OK}}}).left_out
    assert line in left_out


# Health and credentials.


def test_a_path_with_parameters_is_no_health_check() -> None:
    api = reported("health.yaml")

    assert api.health is None
    assert list(operations(api)) == ["status", "items"]


@pytest.mark.parametrize("place", ["query", "header", "cookie"])
def test_nor_is_a_request_with_required_parameters(tmp_path: Path, place: str) -> None:
    parameter = {"name": "of", "in": place, "required": True, "schema": {"type": "string"}}
    assert described(tmp_path, {"/health": {"get": getting(parameter)}}).health is None


def test_the_health_check_has_the_credentials_of_the_operations(tmp_path: Path) -> None:
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    paths = {"/health": {"get": getting()}, "/a": {"get": {"responses": OK}}}

    api = described(tmp_path, paths, security=[{"key": []}], components={"securitySchemes": schemes})

    assert api.health == {"method": "GET", "path": "/health", "expect": 200, "headers": {"X-Key": "replace-me"}}
    assert api.credentials == {"X-Key": "replace-me"}


def test_keys_in_queries_and_cookies_are_sent(tmp_path: Path) -> None:
    schemes = {
        "key": {"type": "apiKey", "in": "query", "name": "api key"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    }
    api = described(
        tmp_path,
        {"/a": {"get": getting()}},
        security=[{"key": [], "cookie": []}],
        components={"securitySchemes": schemes},
    )

    call = operations(api)["op"].call
    assert (call["path"], call["headers"]) == ("/a?api%20key=replace-me", {"Cookie": "sid=replace-me"})
    assert (api.query, api.credentials) == ({"api key": "replace-me"}, {"Cookie": "sid=replace-me"})


# Documents.


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("default.yaml", "line 7: /paths/~1items/get/parameters/0/schema/default: null is not of type integer"),
        ("required.yaml", 'line 11: /components/schemas/Item/required: ["name","name"] has non-unique elements'),
        ("same-operation-id.yaml", "line 7: /paths/~1other/get/operationId: one is the name of another operation too"),
    ],
)
def test_faults_are_named_with_their_place_and_hinder_nothing(name: str, fault: str) -> None:
    api = reported(name)

    assert [str(each) for each in api.faults] == [fault]
    assert api.operations


def test_json_is_read_by_a_parser_of_json() -> None:
    assert (reported("surrogate.json").title, len(reported("surrogate.json").operations)) == ("Smile 😀", 1)


def test_extensions_are_not_followed() -> None:
    api = reported("extension.yaml")
    assert (list(operations(api)), list(api.faults)) == (["listItems"], [])


# Requests.


def test_paths_are_escaped() -> None:
    found = operations(reported("paths.yaml"))
    assert [each.call["path"] for each in found.values()] == ["/gr%C3%B6%C3%9Fe", "/with%20space"]


def test_parameters_are_written_in_their_style() -> None:
    call = operations(reported("query.yaml"))["list"].call

    assert call["path"] == (
        "/list?tags=tags-${alphanumeric 8}&tags=tags-${alphanumeric 8}"
        "&ids=${integer 1 999},${integer 1 999}&filter%5Ba%5D=a-${alphanumeric 8}"
    )
    assert call["headers"] == {"Cookie": "session=session-${alphanumeric 8}"}


LIST = {"type": "array", "const": ["a b", "c,d"]}
MAP = {"type": "object", "const": {"x": 1, "y": "é"}}


@pytest.mark.parametrize(
    ("parameter", "path"),
    [
        ({"in": "query", "schema": LIST}, "/a?p=a%20b&p=c%2Cd"),
        ({"in": "query", "schema": LIST, "explode": False}, "/a?p=a%20b,c%2Cd"),
        ({"in": "query", "schema": LIST, "style": "spaceDelimited", "explode": False}, "/a?p=a%20b%20c%2Cd"),
        ({"in": "query", "schema": LIST, "style": "pipeDelimited", "explode": False}, "/a?p=a%20b%7Cc%2Cd"),
        ({"in": "query", "schema": MAP}, "/a?x=1&y=%C3%A9"),
        ({"in": "query", "schema": MAP, "explode": False}, "/a?p=x,1,y,%C3%A9"),
        ({"in": "query", "schema": MAP, "style": "deepObject"}, "/a?p%5Bx%5D=1&p%5By%5D=%C3%A9"),
        ({"in": "query", "schema": {"const": "a/b?c&d"}, "allowReserved": True}, "/a?p=a/b?c%26d"),
        ({"in": "query", "schema": {"const": "a/b"}}, "/a?p=a%2Fb"),
        (
            {"in": "query", "content": {"application/json": {"schema": MAP}}},
            "/a?p=%7B%22x%22%3A1%2C%22y%22%3A%22%C3%A9%22%7D",
        ),
        ({"in": "query", "schema": {"enum": ["a|b", "c d"]}}, "/a?p=${choice a%7Cb|c%20d}"),
    ],
)
def test_queries_follow_style_and_explode(tmp_path: Path, parameter: dict[str, Any], path: str) -> None:
    api = described(tmp_path, {"/a": {"get": getting({"name": "p", "required": True, **parameter})}})
    assert operations(api)["op"].call["path"] == path


@pytest.mark.parametrize(
    ("parameter", "path"),
    [
        ({"schema": LIST}, "/a/a%20b,c%2Cd"),
        ({"schema": LIST, "style": "label"}, "/a/.a%20b,c%2Cd"),
        ({"schema": LIST, "style": "label", "explode": True}, "/a/.a%20b.c%2Cd"),
        ({"schema": LIST, "style": "matrix"}, "/a/;p=a%20b,c%2Cd"),
        ({"schema": LIST, "style": "matrix", "explode": True}, "/a/;p=a%20b;p=c%2Cd"),
        ({"schema": MAP}, "/a/x,1,y,%C3%A9"),
        ({"schema": MAP, "explode": True}, "/a/x=1,y=%C3%A9"),
        ({"schema": MAP, "style": "matrix", "explode": True}, "/a/;x=1;y=%C3%A9"),
        ({"schema": {"const": "a/b"}}, "/a/a%2Fb"),
    ],
)
def test_paths_follow_style_and_explode(tmp_path: Path, parameter: dict[str, Any], path: str) -> None:
    api = described(tmp_path, {"/a/{p}": {"get": getting({"name": "p", "in": "path", "required": True, **parameter})}})
    assert operations(api)["op"].call["path"] == path


def test_headers_and_cookies_follow_their_style(tmp_path: Path) -> None:
    parameters = [
        {"name": "X-List", "in": "header", "required": True, "schema": LIST},
        {"name": "X-Map", "in": "header", "required": True, "explode": True, "schema": MAP},
        {"name": "ids", "in": "cookie", "required": True, "explode": False, "schema": {"const": [1, 2]}},
        {"name": "one", "in": "cookie", "required": True, "schema": {"const": "a;b"}},
    ]

    api = described(tmp_path, {"/a": {"get": getting(*parameters)}})

    assert operations(api)["op"].call["headers"] == {
        "X-List": "a b,c,d",
        "X-Map": "x=1,y=%C3%A9",
        "Cookie": "ids=1,2; one=a%3Bb",
    }


def test_forms_are_forms(tmp_path: Path) -> None:
    schema = {"type": "object", "const": {"tags": ["a", "b"], "meta": {"k": 1}, "deep": {"k": "v"}, "csv": [1, 2]}}
    encoding = {"deep": {"style": "deepObject"}, "csv": {"style": "form", "explode": False}}
    body = sending(schema, "application/x-www-form-urlencoded", encoding=encoding)

    operation = operations(described(tmp_path, {"/a": {"post": body}}))["op"]

    assert operation.body == "form"
    assert json.loads(operation.message or "") == {
        "tags": ["a", "b"],
        "meta": '{"k":1}',
        "deep[k]": "v",
        "csv": "1,2",
    }


def test_another_kind_of_json_is_named(tmp_path: Path) -> None:
    api = described(tmp_path, {"/a": {"patch": sending({"const": 1}, "application/merge-patch+json")}})
    assert operations(api)["op"].call["headers"] == {"content-type": "application/merge-patch+json"}


def test_a_document_of_one_operation_that_cannot_be_sent_says_why(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="POST /a is left out: its body is application/xml"):
        described(tmp_path, {"/a": {"post": sending({}, "application/xml")}})
