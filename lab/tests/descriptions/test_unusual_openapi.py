"""OpenAPI documents that say unusual things, such as alternatives that only replies have."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bakeoff.descriptions.imported import ImportedApi
from bakeoff.descriptions.openapi_import import import_openapi
from bakeoff.errors import UsageError
from bakeoff.workload.expressible import first_rendered

OK = {"200": {"description": "ok"}}
NUMBER, ID = {"type": "integer"}, {"type": "integer", "readOnly": True}
NAMED = {"properties": {"a": NUMBER}, "required": ["a"]}


def described(folder: Path, paths: Mapping[str, Any], **others: Any) -> ImportedApi:
    document = {"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": paths, **others}
    (folder / "api.json").write_text(json.dumps(document), "utf-8")
    return import_openapi(folder / "api.json")


def sent(folder: Path, schema: Mapping[str, Any], **schemas: Any) -> Any:
    """A message that a schema makes."""
    content = {"application/json": {"schema": schema}}
    paths = {"/a": {"post": {"requestBody": {"content": content}, "responses": OK}}}
    api = described(folder, paths, components={"schemas": schemas})
    assert api.advice == [], api.advice
    return json.loads(first_rendered(str(api.operations[0].message)))


@pytest.mark.parametrize("way", ["oneOf", "anyOf"])
@pytest.mark.parametrize(
    "only_read",
    [
        {"properties": {"id": ID}},
        {"allOf": [{"properties": {"id": ID}, "required": ["id"]}]},
        {"properties": {"b": NUMBER}, "readOnly": True},
    ],
)
def test_an_alternative_of_replies_alone_is_not_sent(tmp_path: Path, way: str, only_read: dict[str, Any]) -> None:
    assert sent(tmp_path, {way: [only_read, NAMED]}).keys() == {"a"}
    assert sent(tmp_path, {"properties": {"in": {way: [only_read, NAMED]}}})["in"].keys() == {"a"}


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"properties": {"id": ID}}], "properties": {"a": NUMBER}, "required": ["id", "a"]},
        {"allOf": [{"required": ["id"]}, {"properties": {"id": ID, "a": NUMBER}, "required": ["a"]}]},
        {"allOf": [{"allOf": [{"$ref": "#/components/schemas/V"}]}, NAMED], "required": ["id"]},
        {"properties": {"id": {"$ref": "#/components/schemas/W"}, "a": NUMBER}, "required": ["id", "a"]},
    ],
)
def test_what_is_only_read_is_not_required_wherever_that_stands(tmp_path: Path, schema: dict[str, Any]) -> None:
    assert sent(tmp_path, {"type": "object", **schema}, V={"properties": {"id": ID}}, W=ID).keys() == {"a"}


@pytest.mark.parametrize(
    ("name", "example", "kind"),
    [
        ("email", "ada@example.com", r"ada-[0-9a-f]{8}-\d+-\d+@example\.com"),
        ("login", "ada.king+x@mail.example.org", r"ada\.king\+x-[0-9a-f]{8}-\d+-\d+@mail\.example\.org"),
        ("phone", "+15551234567", r"\+15[1-9]\d{8}"),
        ("phoneNumber", "6509241374", r"6[1-9]\d{8}"),
        ("id", "6509241374", r"6509241374-[0-9a-f]{8}-\d+-\d+"),
        ("hostname", "db.example.com", r"u[0-9a-f]{8}-\d+-\d+-db\.example\.com"),
    ],
)
def test_what_must_vary_stays_of_the_kind_of_its_example(tmp_path: Path, name: str, example: str, kind: str) -> None:
    made = sent(tmp_path, {"type": "object", "properties": {name: {"type": "string", "example": example}}})[name]
    assert re.fullmatch(kind, made), made


def test_alternatives_of_replies_alone_are_sent_where_there_are_no_others(tmp_path: Path) -> None:
    assert sent(tmp_path, {"oneOf": [{"properties": {"id": ID}}, {"properties": {"no": ID}}]}) == {}


@pytest.mark.parametrize(
    ("beside", "target", "kind"),
    [
        ({"type": "number"}, {"type": "object", "properties": {"x": NUMBER}}, dict),
        ({"type": "integer", "maximum": 3}, {"type": "number"}, int),
        ({"type": "string"}, {"type": "string", "nullable": True}, str),
        ({"type": "string"}, {"example": "x"}, str),
    ],
)
def test_a_type_beside_a_reference_is_not_another_one(
    tmp_path: Path, beside: dict[str, Any], target: dict[str, Any], kind: type
) -> None:
    schema = {"properties": {"v": {"$ref": "#/components/schemas/V", **beside}}}
    assert isinstance(sent(tmp_path, schema, V=target)["v"], kind)


def test_a_health_check_that_is_alone_is_measured(tmp_path: Path) -> None:
    api = described(tmp_path, {"/ping": {"get": {"responses": OK}}})
    assert ([each.name for each in api.operations], api.health) == (["GET /ping"], None)


def test_operations_of_an_api_that_is_deprecated_as_a_whole_are_sent(tmp_path: Path) -> None:
    old = {"responses": OK, "deprecated": True}
    api = described(tmp_path, {"/a": {"get": old}, "/b": {"get": old}})
    assert ([each.name for each in api.operations], api.left_out) == (["GET /a", "GET /b"], [])


@pytest.mark.parametrize("place", ["parameters", "security"])
def test_a_name_that_no_header_has_is_named(tmp_path: Path, place: str) -> None:
    parameter = {"name": 'x"y z', "in": "header", "required": True, "schema": {"type": "string"}}
    scheme = {"type": "apiKey", "in": "header", "name": 'x"y z'}
    own = {"parameters": [parameter]} if place == "parameters" else {"security": [{"key": []}]}
    api = described(
        tmp_path,
        {"/a": {"get": {"responses": OK, **own}}, "/b": {"get": {"responses": OK}}},
        components={"securitySchemes": {"key": scheme}},
    )
    assert [each.name for each in api.operations] == ["GET /b"]
    assert api.left_out == ['GET /a is left out: x"y z is no name of a header.']


def test_a_list_below_status_is_no_health_check(tmp_path: Path) -> None:
    content = {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}
    listing = {"get": {"responses": {"200": {"description": "ok", "content": content}}}}
    assert described(tmp_path, {"/status": listing, "/a": {"get": {"responses": OK}}}).health is None


@pytest.mark.parametrize(("asked", "is_login"), [("token", False), ("code", True)])
def test_a_reply_that_shows_the_token_of_its_request_is_no_login(tmp_path: Path, asked: str, *, is_login: bool) -> None:
    def holding(name: str) -> dict[str, Any]:
        inner = {"properties": {name: {"type": "string"}}}
        return {"content": {"application/json": {"schema": {"properties": {"spec": inner}}}}}

    review = {"requestBody": holding(asked), "responses": {"200": {"description": "ok", **holding("token")}}}
    schemes = {"key": {"type": "http", "scheme": "bearer"}}
    paths = {"/tokenreviews": {"post": review}, "/a": {"get": {"responses": OK}}}
    api = described(tmp_path, paths, components={"securitySchemes": schemes})
    assert [each.is_login for each in api.operations] == [is_login, False]


def keeping(kinds: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """The paths of kinds of entities with these members beside their id."""

    def kept(*names: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": dict.fromkeys(("id", *names), NUMBER)}
        content = {"content": {"application/json": {"schema": schema}}}
        return {"requestBody": content, "responses": {"201": {"description": "made", **content}}}

    paths = {f"/{kind}s": {"post": {"operationId": kind, **kept(*names)}} for kind, names in kinds.items()}
    return {**paths, **{f"{path}/{{id}}": {"get": {"responses": OK}, "delete": {"responses": OK}} for path in paths}}


def test_a_request_that_names_several_entities_has_all_of_them_created(tmp_path: Path) -> None:
    paths = keeping({"shop": (), "brand": (), "maker": (), "item": ("shop_id", "brand_id", "maker_id", "size")})
    api = described(tmp_path, paths)
    found = {each.name: each for each in api.operations}
    item, brand, maker = (found[each] for each in ("item", "brand for shop", "maker for shop with brand"))
    ids = ('"shop_id":${captured.id}', '"brand_id":${captured.second}', '"maker_id":${captured.third}')
    assert all(each in str(item.message) for each in ids)
    assert (brand.needs, maker.needs, item.needs) == ("shop", brand.creates, maker.creates)
    assert brand.call["capture"] == {"second": "/id", "id": "sent:${captured.id}"}
    assert maker.call["capture"] == {"third": "/id", "id": "sent:${captured.id}", "second": "sent:${captured.second}"}
    kept = {"parent": "sent:${captured.id}", "second": "sent:${captured.second}", "third": "sent:${captured.third}"}
    assert item.call["capture"] == {"id": "/id", **kept}
    assert (brand.weight, brand.effect) == (0, None)
    # Shops are named by what was created for them; a brand that others may delete is another one.
    weights = [found[f"DELETE /{each}s/{{id}}"].weight for each in ("shop", "brand", "maker", "item")]
    assert weights == [0, 1, 1, 1]
    assert not any("made up" in each for each in api.advice)


def test_of_entities_that_refer_to_each_other_the_same_ones_are_named(tmp_path: Path) -> None:
    paths = keeping({"owner": (), "pet": ("owner_id", "age"), "visit": ("owner_id", "pet_id", "hour")})
    content = {"application/json": {"schema": {"type": "object", "properties": {"owner_id": NUMBER, "n": NUMBER}}}}
    paths["/pets/{id}/notes"] = {"post": {"operationId": "note", "requestBody": {"content": content}, "responses": OK}}
    found = {each.name: each for each in described(tmp_path, paths).operations}
    visit, note = found["visit"], found["note"]
    assert (visit.needs, note.needs) == ("pet", "pet")
    assert '"owner_id":${captured.parent},"pet_id":${captured.id}' in str(visit.message)
    assert visit.call["capture"] == {"id": "/id", "parent": "sent:${captured.id}", "parent2": "sent:${captured.parent}"}
    assert '"owner_id":${captured.parent}' in str(note.message)
    assert not [name for name in found if " for " in name]


def test_creations_that_ask_for_each_other_s_ids_in_queries_are_in_no_circle(tmp_path: Path) -> None:
    paths = keeping({"author": (), "book": ()})
    for kind, other in (("author", "book"), ("book", "author")):
        asked = {"name": f"{other}_id", "in": "query", "required": True, "schema": NUMBER}
        paths[f"/{kind}s"]["post"]["parameters"] = [asked]
    found = {each.name: each for each in described(tmp_path, paths).operations}
    assert (found["author"].needs, found["book"].needs) == (None, None)


def test_what_lies_within_an_entity_may_name_others(tmp_path: Path) -> None:
    paths = keeping({"cart": (), "product": ("price",)})
    content = {"application/json": {"schema": {"type": "object", "properties": {"product_id": NUMBER, "n": NUMBER}}}}
    for name in ("add", "swap"):
        sends = {"operationId": name, "requestBody": {"content": content}, "responses": OK}
        paths[f"/carts/{{id}}/{name}"] = {"post": sends}
    api = described(tmp_path, paths)
    found = {each.name: each for each in api.operations}
    assert len(found) == len(api.operations), "a creation serves all requests that need it"
    assert found["add"].needs == found["product for cart"].creates == "cart with product"
    assert found["add"].call["path"] == "/carts/${captured.id}/add"
    # A cart is named as long as the product that was created for it.
    assert (found["DELETE /carts/{id}"].weight, found["DELETE /products/{id}"].weight) == (0, 1)
    assert '"product_id":${captured.second}' in str(found["add"].message)


def test_of_alternatives_those_that_the_schema_lists_are_sent(tmp_path: Path) -> None:
    kinds = {"oneOf": [{"const": f"k{number}"} for number in range(40)]}
    schema = {"properties": {"kind": {"enum": ["k37"], "allOf": [{"$ref": "#/components/schemas/Kinds"}]}}}
    assert sent(tmp_path, schema, Kinds=kinds) == {"kind": "k37"}


def test_numbers_in_a_list_of_texts_are_texts_and_named(tmp_path: Path) -> None:
    either = {"anyOf": [{"type": "integer"}, {"type": "string"}], "enum": [4]}
    schema = {"properties": {"version": {"type": "string", "enum": [3, None], "nullable": True}, "either": either}}
    content = {"application/json": {"schema": schema}}
    api = described(tmp_path, {"/a": {"post": {"requestBody": {"content": content}, "responses": OK}}})
    assert (api.operations[0].message, api.advice) == ('{"version":"3","either":4}', [])
    assert [each.words for each in api.faults] == ["3 is not of type string"]


@pytest.mark.parametrize(
    "text", ["[" * 300_000, "paths:\n" + "  - [a\n]\n" + "- " * 300_000], ids=["brackets", "dashes"]
)
def test_yaml_that_is_too_deep_is_refused_and_ends_no_process(tmp_path: Path, text: str) -> None:
    file = tmp_path / "openapi.yaml"
    file.write_text(f"openapi: 3.0.3\ninfo: {text}\n", "utf-8")
    with pytest.raises(UsageError, match=r"openapi\.yaml is neither JSON nor YAML: "):
        import_openapi(file)
