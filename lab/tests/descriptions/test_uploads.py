"""Files in imports: parts of forms, and bodies that are a file."""

import base64
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from bakeoff.conformance.runner import load_cases
from bakeoff.descriptions.imported import ImportedApi, ImportedOperation
from bakeoff.descriptions.media_types import smallest_file
from bakeoff.descriptions.openapi_import import import_openapi
from bakeoff.project import Project
from bakeoff.scaffold.cases import sample
from bakeoff.scaffold.import_files import imported_scaffold, write_import
from bakeoff.workload.bodies import CONTENT_TYPES, encoded
from bakeoff.workload.loader import load_workload
from described_service import Part, parts_of

FILE = {"type": "string", "format": "binary"}
TEXT = {"type": "string", "maxLength": 8}
OBJECT = {"type": "object", "properties": {"size": {"const": 7}}}


def described(folder: Path, paths: dict[str, Any]) -> ImportedApi:
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    (folder / "api.json").write_text(json.dumps(document), "utf-8")
    return import_openapi(folder / "api.json")


def sending(schema: Any, media_type: str = "multipart/form-data", **beside: Any) -> dict[str, Any]:
    body = {"required": True, "content": {media_type: {"schema": schema, **beside}}}
    return {"operationId": "op", "requestBody": body, "responses": {"201": {"description": "made"}}}


def only(api: ImportedApi) -> ImportedOperation:
    (operation,) = api.operations
    return operation


def sent(operation: ImportedOperation) -> list[Part]:
    """The parts that a server reads in the operation's request."""
    assert operation.body == "multipart" and operation.message is not None
    return parts_of(CONTENT_TYPES["multipart"], encoded("multipart", sample(operation.message)))


def test_every_part_arrives_with_its_name_and_type(tmp_path: Path) -> None:
    properties = {
        "photo": FILE,
        "scans": {"type": "array", "items": {"contentMediaType": "image/png"}, "minItems": 2},
        "about": {"$ref": "#/paths/~1a/post/requestBody/content/multipart~1form-data/schema/properties/size"},
        "size": OBJECT,
        "notes": {"type": "array", "items": TEXT, "minItems": 2},
        "count": {"const": 3},
        "rows": FILE,
        "order": {**OBJECT, "description": "as the service wants it"},
        "sheet": {},
    }
    encoding = {
        "photo": {"contentType": "image/jpeg, image/png"},
        "rows": {"contentType": "text/csv"},
        "order": {"contentType": "application/vnd.order+json"},
        "sheet": {"contentType": "application/pdf"},
    }
    api = described(tmp_path, {"/a": {"post": sending({"properties": properties}, encoding=encoding)}})

    parts = sent(only(api))

    kinds = [(each.name, each.filename, each.content_type) for each in parts]
    assert kinds == [
        ("notes", None, None),
        ("notes", None, None),
        ("count", None, None),
        ("photo", "photo.jpg", "image/jpeg"),
        ("scans", "scans.png", "image/png"),
        ("scans", "scans.png", "image/png"),
        ("about", None, "application/json"),
        ("size", None, "application/json"),
        ("rows", "rows.csv", "text/csv"),
        ("order", None, "application/vnd.order+json"),
        ("sheet", "sheet.pdf", "application/pdf"),
    ]
    contents = {each.name: each.content for each in parts}
    assert (contents["count"], contents["size"], contents["photo"][:2]) == (b"3", b'{"size":7}', b"\xff\xd8")
    assert (api.left_out, api.advice) == ([], [])


def test_files_of_two_requests_differ_where_their_type_allows(tmp_path: Path) -> None:
    operation = only(described(tmp_path, {"/a": {"post": sending({"properties": {"f": FILE}})}}))

    contents = {encoded("multipart", sample(str(operation.message), number)) for number in range(3)}

    assert len(contents) == 3


@pytest.mark.parametrize("media_type", ["application/octet-stream", "image/png", "video/mp4", "image/*"])
@pytest.mark.parametrize(("least", "most"), [(0, None), (1, 1), (2, 2), (200, None), (70, 71), (0, 5), (1001, 1001)])
def test_a_file_has_the_size_that_its_schema_allows(
    tmp_path: Path, media_type: str, least: int, most: int | None
) -> None:
    schema = {**FILE, "minLength": least, **({} if most is None else {"maxLength": most})}
    operation = only(described(tmp_path, {"/a": {"put": sending(schema, media_type)}}))

    assert operation.body == "binary" and operation.message is not None
    content = base64.b64decode(json.loads(json.dumps(sample(f'"{operation.message}"'))), validate=True)
    assert least <= len(content) <= (4096 if most is None else most)


@pytest.mark.parametrize(
    ("media_type", "schema", "beside", "body", "content_type"),
    [
        ("application/octet-stream", {}, {}, "binary", None),
        ("application/octet-stream", FILE, {}, "binary", None),
        ("image/*", FILE, {}, "binary", "image/png"),
        ("image/svg+xml", {}, {}, "binary", "image/svg+xml"),
        ("application/zip", {"type": "string"}, {}, "binary", "application/zip"),
        ("application/x-protobuf", FILE, {}, "binary", "application/x-protobuf"),
        ("text/csv; charset=utf-8", {"type": "string"}, {}, "text", "text/csv; charset=utf-8"),
        ("text/markdown", {}, {}, "text", "text/markdown"),
        ("text/plain", {"type": "string"}, {}, "text", None),
        ("application/xml", {}, {"example": "<a/>"}, "text", "application/xml"),
        ("application/yaml", {"type": "string"}, {"example": "a: 1"}, "text", "application/yaml"),
    ],
)
def test_a_whole_body_is_a_file_or_a_text(
    tmp_path: Path, media_type: str, schema: Any, beside: Any, body: str, content_type: str | None
) -> None:
    operation = only(described(tmp_path, {"/a": {"post": sending(schema, media_type, **beside)}}))

    assert operation.body == body
    headers = operation.call.get("headers")
    assert headers == (None if content_type is None else {"content-type": content_type})
    assert operation.message and ("example" not in beside or operation.message == beside["example"])


@pytest.mark.parametrize(
    ("media_type", "schema"),
    [
        ("multipart/form-data", {"type": "object"}),
        ("multipart/mixed", FILE),
        ("application/xml", {"type": "object", "properties": {"a": TEXT}}),
        ("application/xml", {"type": "string"}),
        ("application/json-patch+json", {"type": "string", "format": "binary"}),
        ("application/octet-stream", {"type": "object"}),
        ("text/csv", {"type": "array", "items": TEXT}),
    ],
)
def test_what_nothing_says_how_to_write_is_left_out(tmp_path: Path, media_type: str, schema: Any) -> None:
    paths = {"/a": {"post": sending(schema, media_type)}, "/ok": {"get": {"responses": {"200": {}}}}}

    (left_out,) = described(tmp_path, paths).left_out

    assert media_type in left_out


def test_data_goes_before_files_where_a_service_takes_both(tmp_path: Path) -> None:
    entry = sending(FILE, "image/png")
    entry["requestBody"]["content"]["application/json"] = {"schema": OBJECT}

    assert only(described(tmp_path, {"/a": {"post": entry}})).message == '{"size":7}'


def test_a_form_goes_before_data_that_cannot_hold_its_files(tmp_path: Path) -> None:
    """As frameworks describe one operation that takes both."""
    entry = sending({"properties": {"scan": FILE}}, "application/json")
    for media_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        entry["requestBody"]["content"][media_type] = entry["requestBody"]["content"]["application/json"]

    assert [each.filename for each in sent(only(described(tmp_path, {"/a": {"post": entry}})))] == ["scan.bin"]


def test_random_bytes_of_a_type_that_services_read_are_named(tmp_path: Path) -> None:
    encoding = {"clip": {"contentType": "video/*"}}
    paths = {
        "/a": {"post": {**sending({"properties": {"clip": FILE}}, encoding=encoding), "operationId": "clip"}},
        "/b": {"post": {**sending(FILE, "audio/ogg"), "operationId": "song"}},
        "/c": {"post": {**sending(FILE, "image/png"), "operationId": "picture"}},
    }

    assert described(tmp_path, paths).advice == [
        "clip: its video/mp4 is random bytes. Write a file, if the service reads it.",
        "song: its audio/ogg is random bytes. Write a file, if the service reads it.",
    ]


def test_the_smallest_files_are_files_of_their_type() -> None:
    png = smallest_file("image/png") or b""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place = 8
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        (checksum,) = struct.unpack_from(">I", png, place + 8 + length)
        assert checksum == zlib.crc32(png[place + 4 : place + 8 + length])
        place += 12 + length
    jpeg, gif = smallest_file("image/jpeg") or b"", smallest_file("image/gif") or b""
    assert (jpeg[:3], jpeg[-2:], gif[:6], gif[-1:]) == (b"\xff\xd8\xff", b"\xff\xd9", b"GIF87a", b";")
    webp = smallest_file("image/webp") or b""
    assert (webp[:4], struct.unpack_from("<I", webp, 4)[0], webp[8:12]) == (b"RIFF", len(webp) - 8, b"WEBP")
    assert zipfile.ZipFile(io.BytesIO(smallest_file("application/zip") or b"")).namelist() == []


def test_an_entity_that_holds_a_file_is_created_read_and_not_compared(empty_checkout: Project) -> None:
    folder = empty_checkout.root
    shown = {"type": "object", "properties": {"id": {"type": "integer"}, "title": TEXT, "scan": {"type": "string"}}}
    reply = {"description": "it", "content": {"application/json": {"schema": shown}}}
    create = sending({"properties": {"title": TEXT, "scan": {"type": "string", "contentMediaType": "image/png"}}})
    identity = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    item = {
        "parameters": [identity],
        "get": {"operationId": "read", "responses": {"200": reply, "404": {"description": "none"}}},
        "put": {**sending(FILE, "application/octet-stream"), "operationId": "replace"},
    }
    paths = {"/scans": {"post": {**create, "operationId": "create", "responses": {"201": reply}}}, "/scans/{id}": item}
    api = described(folder, paths)

    write_import(empty_checkout, imported_scaffold("scans", api, None), api, folder / "api.json")
    workload = load_workload(empty_checkout, "scans")

    bodies = {each.name: (each.body, each.effect) for each in workload.declared.operations}
    assert bodies == {"create": ("multipart", None), "read": ("json", None), "replace": ("binary", None)}
    (life,) = load_cases(workload)
    assert [step.operation for step in life.steps] == ["create", "read", "replace", "read"]
    replaced: Any = life.steps[2].message
    assert len(base64.b64decode(replaced, validate=True)) == 48
