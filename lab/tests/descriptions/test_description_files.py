"""Descriptions as files: parsers, other files, faults with their lines, Swagger 2 and large ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from bakeoff.descriptions.document_file import DocumentFile, read_document
from bakeoff.descriptions.faults import Fault, first_faults
from bakeoff.descriptions.openapi_import import import_openapi
from bakeoff.errors import UsageError


def document(folder: Path, text: str, name: str = "api.yaml") -> DocumentFile:
    (folder / name).write_text(text, "utf-8")
    return read_document(folder / name)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("0o7", 7),
        ("017", 17),
        ("1e3", 1000.0),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2020-01-01", "2020-01-01"),
        ("~", None),
        ("true", True),
        ('"\\ud83d\\ude00"', "😀"),
    ],
)
def test_yaml_is_read_as_yaml_1_2(tmp_path: Path, written: str, value: Any) -> None:
    assert document(tmp_path, f"a: {written}\n").value == {"a": value}
    # Brackets that close at the indentation of their name: YAML 1.2 forbids it, and other parsers take it.
    assert document(tmp_path, f'a:\n  b: [\n    {written},\n    "q"\n  ]\n').value == {"a": {"b": [value, "q"]}}


def test_names_are_texts_and_anchors_are_merged(tmp_path: Path) -> None:
    text = "base: &base { a: 1, b: 2 }\n200: { <<: *base, b: 3 }\ntrue: x\n"
    assert document(tmp_path, text).value == {
        "base": {"a": 1, "b": 2},
        "200": {"a": 1, "b": 3},
        "true": "x",
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_is_read_in_its_encodings(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "api.json").write_bytes('{"a": "ö"}'.encode(encoding))
    assert read_document(tmp_path / "api.json").value == {"a": "ö"}


def test_half_a_surrogate_pair_is_no_character(tmp_path: Path) -> None:
    value = document(tmp_path, '{"a\\ud800": "x\\udc00y"}', "api.json").value
    assert value == {"a\ufffd": "x\ufffdy"}


@pytest.mark.parametrize(
    ("name", "text", "repeated"),
    [
        ("api.json", '{"a": 1, "b": {"c": 1, "c": 2}}', ["c"]),
        ("api.yaml", "a: 1\nb: { c: 1, c: 2 }\n", ["/b/c"]),
    ],
)
def test_names_that_are_given_twice_are_known(tmp_path: Path, name: str, text: str, repeated: list[str]) -> None:
    read = document(tmp_path, text, name)
    assert (read.value, list(read.repeated)) == ({"a": 1, "b": {"c": 2}}, repeated)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n "a": 1,\n "b": [\n  {"c": "}"},\n  {"d": {"e": [1, 2,\n 3]}}\n ]\n}', 6),
        ("a: 1\nb:\n  - c: x\n  - d:\n      e: [1, 2,\n        3]\n", 6),
    ],
)
def test_lines_of_places_are_known(tmp_path: Path, text: str, line: int) -> None:
    read = document(tmp_path, text)

    assert read.line_of(("b", 1, "d", "e", 2)) == line
    assert read.line_of(("a",)) == (2 if text.startswith("{") else 1)
    assert read.line_of(("a", "unknown")) == read.line_of(("a",))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "is neither JSON nor YAML"),
        (b"\xff\xff\xff", "is not text: byte"),
        (b"a: [1\nb: 2\n", "is neither JSON nor YAML: YAML parse error"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_file(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "api.yaml").write_bytes(content)
    with pytest.raises(UsageError, match=words) as refused:
        read_document(tmp_path / "api.yaml")
    assert str(tmp_path / "api.yaml") in refused.value.message


def test_json_with_a_fault_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text('{"a": 1,\n"b" 2}', "utf-8")
    with pytest.raises(UsageError, match=r"api.json is not JSON: Expecting ':' delimiter: line 2 column 5"):
        read_document(tmp_path / "api.json")


HEAD = 'openapi: 3.0.3\ninfo: { title: t, version: "1" }\n'


@pytest.mark.parametrize(
    "paths",
    [
        'paths:\n  /a:\n    get: { responses: {\n      "200": {} } }\n',
        "paths:\n  /a:\n    get: { responses: {\n      200: {} } }\n",
    ],
)
def test_a_fault_of_a_status_has_its_place(tmp_path: Path, paths: str) -> None:
    (tmp_path / "api.yaml").write_text(f"{HEAD}{paths}", "utf-8")

    (fault,) = import_openapi(tmp_path / "api.yaml").faults

    assert str(fault) == 'line 6: /paths/~1a/get/responses/200: "description" is a required property'


def test_a_fault_of_a_status_has_its_place_in_json(tmp_path: Path) -> None:
    head = '{"openapi": "3.1.0", "info": {"title": "t", "version": "1"},\n"paths": {"/a": {"get": {"responses": {\n'
    (tmp_path / "api.json").write_text(head + '"200": {}}}}}}', "utf-8")

    (fault,) = import_openapi(tmp_path / "api.json").faults

    assert str(fault) == 'line 3: /paths/~1a/get/responses/200: "description" is a required property'


def test_other_files_are_a_part_of_the_description(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "pet.yaml").write_text(
        "type: object\nrequired: [name]\nproperties:\n  name: { type: string }\n"
        "  kind: { $ref: 'kinds.json#/Kind' }\n  mother: { $ref: pet.yaml }\n",
        "utf-8",
    )
    (tmp_path / "parts" / "kinds.json").write_text('{"Kind": {"$ref": "#/Of"}, "Of": {"enum": ["cat"]}}', "utf-8")
    (tmp_path / "path.yaml").write_text(
        "post:\n  operationId: add\n  requestBody:\n    content:\n      application/json:\n"
        "        schema: { $ref: parts/pet.yaml }\n  responses: { '201': { description: made } }\n",
        "utf-8",
    )
    (tmp_path / "api.yaml").write_text(f"{HEAD}paths: {{ /pets: {{ $ref: path.yaml }} }}\n", "utf-8")

    api = import_openapi(tmp_path / "api.yaml")

    (add,) = api.operations
    assert add.message is not None and add.message.startswith('{"name":"name-${alphanumeric 8}","kind":"cat","mother":')
    assert {each.name for each in api.sources} == {"path.yaml", "pet.yaml", "kinds.json"}
    assert api.faults == []


def test_schemas_are_found_by_their_anchors_and_ids(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_text(
        f"{HEAD}paths:\n  /a:\n    post:\n      requestBody: {{ content: {{ application/json: {{ schema: "
        "{ properties: { a: { $ref: '#node' }, b: { $ref: https://example.org/i } } } } } }\n"
        "      responses: { '201': { description: made } }\n"
        "components: { schemas: { A: { $anchor: node, const: 1 }, I: { $id: https://example.org/i, const: 2 } } }\n",
        "utf-8",
    )

    api = import_openapi(tmp_path / "api.yaml")

    assert [each.message for each in api.operations] == ['{"a":1,"b":2}']
    assert not any("refers to" in each.words for each in api.faults)


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("other.yaml", "other.yaml cannot be read: No such file or directory"),
        ("'#/components/schemas/None'", "refers to #/components/schemas/None, which does not exist"),
        (
            "'https://example.org/pet.json'",
            "refers to https://example.org/pet.json: put it into one file with it: npx",
        ),
        ("'#nowhere'", "refers to #nowhere, which does not exist"),
    ],
)
def test_what_cannot_be_followed_is_named_and_hinders_nothing(tmp_path: Path, reference: str, words: str) -> None:
    text = (
        f"{HEAD}paths:\n  /a:\n    post:\n      requestBody:\n        content:\n          application/json:\n"
        f"            schema:\n              properties:\n                pet: {{ $ref: {reference} }}\n"
        "      responses: { '200': { description: ok } }\n"
    )
    (tmp_path / "api.yaml").write_text(text, "utf-8")

    api = import_openapi(tmp_path / "api.yaml")

    (fault,) = api.faults
    assert fault.pointer.endswith("/schema/properties/pet")
    assert (fault.line, words in fault.words, len(api.operations)) == (11, True, 1)


def test_a_property_may_have_the_name_of_a_keyword(tmp_path: Path) -> None:
    text = (
        f"{HEAD}components: {{ schemas: {{ S: {{ enum: [x] }} }} }}\npaths:\n  /a:\n    post:\n      requestBody:\n"
        "        content:\n          application/json:\n            schema:\n              properties:\n"
        "                example: { $ref: '#/components/schemas/S' }\n"
        "                x-y: { $ref: '#/components/schemas/S' }\n"
        "      responses: { '200': { description: ok } }\n"
    )
    (tmp_path / "api.yaml").write_text(text, "utf-8")

    (operation,) = import_openapi(tmp_path / "api.yaml").operations

    assert operation.message == '{"example":"x","x-y":"x"}'


def test_ten_faults_are_shown_and_the_others_counted() -> None:
    faults = [Fault(f"/a/{index}", "wrong", index + 1) for index in range(12)]

    lines = list(first_faults(faults))

    assert (lines[0], len(lines), lines[-1]) == ("line 1: /a/0: wrong", 11, "and 2 more faults like these.")


SWAGGER: dict[str, Any] = {
    "swagger": "2.0",
    "info": {"title": "Pets", "version": "1"},
    "host": "api.example.com",
    "basePath": "/v2",
    "schemes": ["https"],
    "consumes": ["application/json"],
    "produces": ["application/json"],
    "securityDefinitions": {"login": {"type": "basic"}},
    "security": [{"login": []}],
    "parameters": {"Lang": {"name": "lang", "in": "query", "required": True, "type": "string", "default": "en"}},
    "definitions": {
        "Pet": {
            "type": "object",
            "required": ["name"],
            "properties": {"id": {"type": "integer", "readOnly": True}, "name": {"type": "string"}},
        }
    },
    "paths": {
        "/pets": {
            "parameters": [{"$ref": "#/parameters/Lang"}],
            "post": {
                "operationId": "add",
                "parameters": [{"name": "pet", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}],
                "responses": {"201": {"description": "made", "schema": {"$ref": "#/definitions/Pet"}}},
            },
            "get": {
                "operationId": "find",
                "parameters": [
                    {"name": "ids", "in": "query", "required": True, "type": "array", "items": {"enum": [1]}},
                    {
                        "name": "tags",
                        "in": "query",
                        "required": True,
                        "type": "array",
                        "items": {"type": "string", "enum": ["a"]},
                        "minItems": 2,
                        "collectionFormat": "multi",
                    },
                ],
                "responses": {"200": {"description": "ok"}},
            },
        },
        "/pets/{petId}": {
            "get": {
                "operationId": "read",
                "parameters": [{"name": "petId", "in": "path", "required": True, "type": "integer"}],
                "responses": {"200": {"description": "ok", "schema": {"$ref": "#/definitions/Pet"}}},
            },
            "post": {
                "operationId": "rename",
                "consumes": ["application/x-www-form-urlencoded"],
                "parameters": [
                    {"name": "petId", "in": "path", "required": True, "type": "integer"},
                    {"name": "name", "in": "formData", "type": "string", "enum": ["x"]},
                ],
                "responses": {"200": {"description": "ok"}},
            },
        },
    },
}


def test_swagger_2_is_imported_as_openapi_3(tmp_path: Path) -> None:
    (tmp_path / "swagger.json").write_text(json.dumps(SWAGGER), "utf-8")

    api = import_openapi(tmp_path / "swagger.json")

    found = {each.name: each for each in api.operations}
    assert (api.title, api.address, api.credentials) == (
        "Pets",
        "https://api.example.com",
        {"Authorization": "Basic replace-me"},
    )
    assert (found["add"].call["path"], found["add"].creates) == ("/v2/pets?lang=en", "pet")
    assert found["add"].message == '{"name":"name-${alphanumeric 8}"}'
    assert found["find"].call["path"] == "/v2/pets?lang=en&ids=1&tags=a&tags=a"
    assert found["read"].call["path"] == "/v2/pets/${captured.id}"
    assert (found["rename"].body, found["rename"].message) == ("form", '{"name":"x"}')
    assert api.faults == []
