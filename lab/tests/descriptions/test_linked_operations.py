"""Ids that requests choose or name in their paths, and those of calls: all are kept for later requests."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bakeoff.conformance.exchange import HttpReply, HttpRequest
from bakeoff.conformance.http_protocol import HttpProtocol
from bakeoff.conformance.runner import load_cases, run_cases
from bakeoff.descriptions.imported import ImportedApi, ImportedOperation
from bakeoff.descriptions.openapi_import import import_openapi
from bakeoff.project import Project
from bakeoff.scaffold.description_files import description_of
from bakeoff.scaffold.import_files import imported_scaffold, write_import
from bakeoff.scaffold.new_project import new_project, write_project
from bakeoff.workload.expressible import first_rendered
from bakeoff.workload.features import needed_features
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan
from described_client import DescribedClient
from described_service import RefusedError, Reply

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
THING = {"type": "object", "properties": {"id": {**NUMBER, "readOnly": True}, "label": TEXT}}


def imported(folder: Path, paths: Mapping[str, Any]) -> ImportedApi:
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    (folder / "api.json").write_text(json.dumps(document), "utf-8")
    return import_openapi(folder / "api.json")


def operations(api: ImportedApi) -> dict[str, ImportedOperation]:
    return {each.name: each for each in api.operations}


def operation(
    name: str,
    *statuses: int,
    reply: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    content = {} if reply is None else {"content": {"application/json": {"schema": reply}}}
    responses = {str(each): {"description": "", **(content if each < 300 else {})} for each in statuses}
    sent = {} if body is None else {"requestBody": {"content": {"application/json": {"schema": body}}}}
    return {"operationId": name, "responses": responses, **sent, **more}


class Folders:
    """A service that keeps JSON under the paths of PUT and POST, and finds nothing elsewhere."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Reply:  # noqa: ARG002 (a service has them)
        path, document = target.partition("?")[0], json.loads(body) if body else None
        above = path.rpartition("/")[0]
        if method == "POST":
            self._check_above(path)
            identity = len(self.kept) + 1
            self.kept[f"{path}/{identity}"] = {**(document or {}), "id": identity}
            return Reply(201, self.kept[f"{path}/{identity}"])
        if method == "PUT" and path not in self.kept:
            self._check_above(above)
            if isinstance(document, dict) and document.get("name", path.rpartition("/")[2]) != path.rpartition("/")[2]:
                raise RefusedError(f"{document} is put at {path}")
            self.kept[path] = document
            return Reply(201)
        if path not in self.kept:
            return Reply(404)
        if method == "PUT":
            raise RefusedError(f"{path} is there already")
        if method == "DELETE":
            del self.kept[path]
            return Reply(204)
        return Reply(200, {"id": path.rpartition("/")[2], **self.kept[path]})

    def _check_above(self, collection: str) -> None:
        parent = collection.rpartition("/")[0]
        if parent.count("/") > 1 and parent not in self.kept:
            raise RefusedError(f"there is no {parent}")


def problems_of(folder: Path, api: ImportedApi, service: Any) -> list[str]:
    source = description_of(folder, str(folder / "api.json"), None, None, [])
    assert source is not None
    project = Project(folder)
    write_project(project, new_project(project, "w", source, None))
    plan = compile_plan(load_workload(project, "w"), Load("w", "http", "127.0.0.1", 1, "smoke", phases=[]))
    assert len(plan.operations) == len(api.operations)
    return [each for user in range(2) for each in DescribedClient(plan, service, user).problems()]


BUCKET = {"type": "object", "properties": {"name": TEXT, "label": TEXT}}


@pytest.mark.parametrize("variable", [TEXT, {**TEXT, "format": "uuid"}, {**TEXT, "pattern": "^[a-z0-9]{6,30}$"}])
@pytest.mark.parametrize("statuses", [(201, 204), (200,), (204,)])
def test_a_put_to_an_id_that_the_client_chooses_creates(
    tmp_path: Path, variable: dict[str, Any], statuses: tuple[int, ...]
) -> None:
    named = [{"name": "name", "in": "path", "required": True, "schema": variable}]
    paths = {
        "/buckets/{name}": {
            "parameters": named,
            "put": operation("put", *statuses, body=BUCKET),
            "get": operation("get", 200, 404, reply=BUCKET),
            "delete": operation("delete", 204),
        }
    }
    api = imported(tmp_path, paths)
    found = operations(api)

    assert (found["put"].creates, found["get"].needs, found["delete"].needs) == ("bucket", "bucket", "bucket")
    assert found["get"].call["path"] == "/buckets/${captured.id}"
    assert found["get"].call["reply"] == {"/name": "${captured.id}"}
    assert found["put"].effect is not None and found["put"].effect["key"] == ["bucket", "${captured.id}"]
    assert api.advice == []
    if 201 in statuses:
        assert problems_of(tmp_path, api, Folders()) == []


def test_a_case_follows_an_entity_whose_id_it_chose(empty_checkout: Project, tmp_path: Path) -> None:
    buckets = {
        "put": operation("put", 201, body=BUCKET),
        "get": operation("get", 200, 404, reply=BUCKET),
        "delete": operation("delete", 204),
    }
    api = imported(tmp_path, {"/buckets/{name}": buckets})
    write_import(empty_checkout, imported_scaffold("w", api, None), api, tmp_path / "api.json")
    workload, service = load_workload(empty_checkout, "w"), Folders()

    def send(request: HttpRequest) -> HttpReply:
        reply = service.answer(request.method, request.path, {}, request.body)
        return HttpReply(reply.status, {}, json.dumps(reply.body).encode())

    (life,) = run_cases(load_cases(workload), HttpProtocol(workload, send), None)

    assert [step.operation for step in load_cases(workload)[0].steps] == ["put", "get", "delete", "get"]
    assert life.differences == ()
    assert needed_features(workload, "http")["sent-captures"] == "put"


@pytest.mark.parametrize(
    ("put", "others"),
    [
        (operation("put", 200, 404, body=THING), {}),
        (operation("put", 200, body=THING), {"/things": {"post": operation("post", 201)}}),
        (operation("put", 201, body=THING), {"/things": {"post": operation("post", 201, reply=THING)}}),
    ],
)
def test_a_put_that_updates_creates_nothing(tmp_path: Path, put: dict[str, Any], others: dict[str, Any]) -> None:
    paths = {**others, "/things/{id}": {"put": put, "get": operation("get", 200, reply=THING)}}
    assert operations(imported(tmp_path, paths))["put"].creates is None


def test_a_put_to_one_of_some_names_creates_nothing(tmp_path: Path) -> None:
    colour = [{"name": "colour", "in": "path", "required": True, "schema": {**TEXT, "enum": ["red", "green"]}}]
    paths = {"/lights/{colour}": {"parameters": colour, "put": operation("put", 201), "get": operation("get", 200)}}
    found = operations(imported(tmp_path, paths))
    assert (found["put"].creates, found["get"].call["path"]) == (None, "/lights/${choice red|green}")


def test_entities_at_any_depth_keep_what_they_lie_within(tmp_path: Path) -> None:
    def level(path: str, name: str) -> dict[str, Any]:
        return {
            path: {"post": operation(f"add-{name}", 201, reply=THING, body=THING)},
            f"{path}/{{{name}}}": {
                "get": operation(f"get-{name}", 200, reply=THING),
                "delete": operation(f"delete-{name}", 204),
            },
        }

    paths = {**level("/as", "a"), **level("/as/{x}/bs", "b"), **level("/as/{x}/bs/{y}/cs", "c")}
    api = imported(tmp_path, paths)
    found = operations(api)

    assert found["add-c"].call["capture"] == {
        "id": "/id",
        "parent2": "sent:${captured.parent}",
        "parent": "sent:${captured.id}",
    }
    assert found["get-c"].call["path"] == "/as/${captured.parent2}/bs/${captured.parent}/cs/${captured.id}"
    key = ["c", "${captured.parent2}", "${captured.parent}", "${captured.id}"]
    assert found["delete-c"].effect == {"kind": "delete", "key": key}
    assert [found[f"delete-{each}"].weight for each in "abc"] == [0, 0, 1]
    assert problems_of(tmp_path, api, Folders()) == []


def test_what_nothing_creates_is_the_same_for_an_entity_and_what_lies_within(tmp_path: Path) -> None:
    tenant = [{"name": "tenant-id", "in": "path", "required": True, "schema": TEXT}]
    paths = {
        "/{tenant-id}/things": {"parameters": tenant, "post": operation("add", 201, reply=THING, body=THING)},
        "/{tenant-id}/things/{id}": {"parameters": tenant, "get": operation("get", 200, reply=THING)},
        "/{tenant-id}/things/{id}/parts/{part}": {
            "parameters": tenant,
            "put": operation("put", 201, body=THING),
            "get": operation("get-part", 200, reply=THING),
        },
    }
    api = imported(tmp_path, paths)
    found = operations(api)

    assert found["add"].call["path"] == "/tenant-id-${tenant_id=alphanumeric 8}/things"
    assert found["add"].call["capture"] == {"id": "/id", "tenant_id": "sent:tenant-id-${value.tenant_id}"}
    assert found["get"].call["path"] == "/${captured.tenant_id}/things/${captured.id}"
    parts = "/${captured.tenant_id}/things/${captured.parent}/parts/${captured.id}"
    assert found["get-part"].call["path"] == parts
    assert len(api.advice) == 1 and "add: {tenant-id} in the path is" in api.advice[0]
    assert problems_of(tmp_path, api, Folders()) == []


class Calls:
    """A service of calls: it knows the pets that it created."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths
        self._known: set[int] = set()

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Reply:  # noqa: ARG002 (a service has them)
        path, _, query = target.partition("?")
        document = json.loads(body) if body else {}
        if self._paths[path] == "create":
            self._known.add(len(self._known) + 1)
            return Reply(200, {"pet": {"id": len(self._known)}})
        identity = int(query.partition("=")[2] or document.get("id") or document["petId"])
        if identity not in self._known:
            raise RefusedError(f"404: {path} of {identity}")
        return Reply(200, {"pet": {"id": identity}})


ID_IN_QUERY = [{"name": "id", "in": "query", "schema": NUMBER}]


@pytest.mark.parametrize(
    ("create", "get", "rename", "delete"),
    [
        ("/createPet", "/getPet", "/updatePet", "/deletePet"),
        ("/pets.create", "/pets.get", "/pets.rename", "/pets.delete"),
        ("/pets/add", "/pets/show", "/pets/modify", "/pets/remove"),
        ("/v1/pet:insert", "/v1/pet:fetch", "/v1/pet:edit", "/v1/pet:destroy"),
    ],
)
@pytest.mark.parametrize("is_asked", [True, False])
def test_calls_name_what_a_call_created(
    tmp_path: Path, create: str, get: str, rename: str, delete: str, *, is_asked: bool
) -> None:
    reply = {"type": "object", "properties": {"pet": THING}}
    label = {"type": "object", "properties": {"label": TEXT}}
    of_id = {"type": "object", "required": ["id"], "properties": {"id": NUMBER}}
    of_pet = {"type": "object", "required": ["petId"], "properties": {"petId": NUMBER, "label": TEXT}}
    reading = {"get": operation("get", 200, reply=reply, parameters=ID_IN_QUERY)}
    paths = {
        create: {"post": operation("create", 200, reply=reply, body=label)},
        get: reading if is_asked else {"post": operation("get", 200, reply=reply, body=of_id)},
        rename: {"post": operation("rename", 200, body=of_pet)},
        delete: {"post": operation("delete", 200, body=of_id)},
    }
    api = imported(tmp_path, paths)
    found = operations(api)

    assert (found["create"].creates, found["create"].call["capture"]) == ("pet", {"id": "/pet/id"})
    assert found["get"].call["path"] == (f"{get}?id=${{captured.id}}" if is_asked else get)
    assert found["delete"].effect == {"kind": "delete", "key": ["pet", "${captured.id}"]}
    assert found["get"].weight > found["rename"].weight
    calls = {create: "create", get: "get", rename: "rename", delete: "delete"}
    assert problems_of(tmp_path, api, Calls(calls)) == []


def _alternatives(*alternatives: dict[str, Any], **beside: Any) -> list[dict[str, Any]]:
    return [{way: list(alternatives), **beside} for way in ("oneOf", "anyOf")]


def having(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties}


_ID = {**NUMBER, "readOnly": True}
_KIND, _FLAG = {**TEXT, "readOnly": True}, {"type": "boolean"}
_CAT, _DOG = having("purrs", id=_ID, purrs=_FLAG), having("barks", barks=_FLAG)
_READ_ONLY = [
    having("kind", "purrs", id=_ID, kind=_KIND, purrs=_FLAG),
    having("kind", "barks", kind=_KIND, barks=_FLAG),
]


@pytest.mark.parametrize(
    ("reply", "body"),
    [
        *((each, THING) for each in _alternatives(having("error", error=TEXT), THING)),
        *((each, THING) for each in _alternatives({"type": "null"}, THING)),
        *((each, _CAT) for each in _alternatives(_DOG, _CAT)),
        *((each, each) for each in _alternatives(_CAT, _DOG)),
        *((each, each) for each in _alternatives(*_READ_ONLY, discriminator={"propertyName": "kind"})),
    ],
)
def test_ids_of_any_alternative_of_a_reply_are_captured(
    tmp_path: Path, reply: dict[str, Any], body: dict[str, Any]
) -> None:
    paths = {
        "/things": {"post": operation("add", 201, reply=reply, body=body)},
        "/things/{id}": {"get": operation("get", 200, 404, reply=reply), "delete": operation("delete", 204)},
    }
    api = imported(tmp_path, paths)
    found = operations(api)

    assert (found["add"].creates, found["add"].call["capture"]) == ("thing", {"id": "/id"})
    assert found["get"].call["reply"] == {"/id": "${captured.id}"}
    assert "kind" not in json.loads(first_rendered(str(found["add"].message)))
    assert found["add"].effect is not None
    assert problems_of(tmp_path, api, Folders()) == []


def test_a_call_that_shows_no_id_creates_nothing(tmp_path: Path) -> None:
    of_id = {"type": "object", "properties": {"id": NUMBER}}
    paths = {
        "/createPet": {"post": operation("create", 200, body=THING)},
        "/getPet": {"post": operation("get", 200, body=of_id)},
    }
    found = operations(imported(tmp_path, paths))
    assert (found["create"].creates, found["get"].needs) == (None, None)


class References:
    """A service that keeps JSON below its collections, and refuses an id of something that it does not have."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Reply:  # noqa: ARG002 (a service has them)
        if method == "GET":
            return Reply(200, self.kept[target]) if target in self.kept else Reply(404)
        document = json.loads(body or b"{}")
        held = [(f"{name}_id", each["id"]) for name, each in document.items() if isinstance(each, dict)]
        held += [
            (f"{name[:-1]}_id", each["id"])
            for name, all_ in document.items()
            if isinstance(all_, list)
            for each in all_
        ]
        for name, identity in [*document.items(), *held]:
            own = f"/{name.removesuffix('_id')}s/{identity}"
            if name.endswith("_id") and not any(each.endswith(own) for each in self.kept):
                raise RefusedError(f"{target}: there is no {name} {identity}")
        if target.count("/") > 1 and target.rpartition("/")[0] not in self.kept:
            return Reply(404)
        identity = len(self.kept) + 1
        self.kept[f"{target}/{identity}"] = {**document, "id": identity}
        return Reply(201, self.kept[f"{target}/{identity}"])


def kept_by(**references: Sequence[str]) -> dict[str, Any]:
    """The paths of an API that keeps each kind of thing, which refers to those of other kinds."""
    paths: dict[str, Any] = {}
    for kind, others in references.items():
        members = {"label": TEXT, **{f"{each}_id": NUMBER for each in others}}
        body = {"type": "object", "properties": members, "required": list(members)}
        reply = {"type": "object", "properties": {"id": NUMBER, **members}}
        paths[f"/{kind}s"] = {"post": operation(f"create_{kind}", 201, body=body, reply=reply)}
        named = [{"name": f"{kind}_id", "in": "path", "required": True, "schema": NUMBER}]
        paths[f"/{kind}s/{{{kind}_id}}"] = {"parameters": named, "get": operation(f"get_{kind}", 200, 404, reply=reply)}
    return paths


@pytest.mark.parametrize(
    "references",
    [
        {"a": (), "b": ("a",), "c": (), "d": ("b", "c"), "e": ("a", "d")},
        {"a": (), "b": ("a",), "c": (), "d": ("c",), "e": ("b", "d")},
        {"e": ("d", "b"), "d": ("c",), "c": (), "b": ("a",), "a": ()},
        {"a": (), "b": ("a",), "c": ("a", "b"), "d": (), "e": ("c", "d"), "f": ("d", "c")},
    ],
)
def test_an_entity_that_needs_others_is_created_with_them(tmp_path: Path, references: dict[str, Any]) -> None:
    api = imported(tmp_path, kept_by(**references))

    assert problems_of(tmp_path, api, References()) == []
    assert api.advice == []


def test_an_entity_that_no_path_names_is_created_for_what_refers_to_it(tmp_path: Path) -> None:
    paths = kept_by(a=(), b=("a",), c=("b",))
    del paths["/as/{a_id}"], paths["/bs/{b_id}"]
    api = imported(tmp_path, paths)

    assert problems_of(tmp_path, api, References()) == []
    assert operations(api)["create_c"].creates == "c"


@pytest.mark.parametrize("references", [("pet",), ("pet", "owner"), ("owner", "pet", "vet"), ("vet", "pet")])
def test_an_entity_within_another_is_created_for_what_refers_to_it(tmp_path: Path, references: Sequence[str]) -> None:
    paths = kept_by(owner=(), kind=(), pet=("kind",), vet=("kind",), visit=references, bill=("visit", "pet"))
    paths = {path.replace("/pets", "/owners/{owner_id}/pets"): each for path, each in paths.items()}
    owner = {"name": "owner_id", "in": "path", "required": True, "schema": NUMBER}
    for path, each in paths.items():
        if path.startswith("/owners/{owner_id}/"):
            each["parameters"] = [owner, *each.get("parameters", [])]
    api = imported(tmp_path, paths)

    assert problems_of(tmp_path, api, References()) == []


@pytest.mark.parametrize("name", ["shop", "shops"])
@pytest.mark.parametrize("identity", [NUMBER, TEXT, {**TEXT, "format": "uuid"}])
def test_an_object_that_holds_an_id_names_the_entity(tmp_path: Path, name: str, identity: dict[str, Any]) -> None:
    held = {"type": "object", "properties": {"id": identity, "label": TEXT}, "required": ["id"]}
    member = {"type": "array", "items": held} if name == "shops" else held
    item = {"type": "object", "properties": {name: member, "label": TEXT}, "required": [name]}
    shop = {"type": "object", "properties": {"id": {**identity, "readOnly": True}, "label": TEXT}}
    paths = {
        "/shops": {"post": operation("add", 201, body=shop, reply=shop)},
        "/shops/{id}": {"get": operation("read", 200, 404, reply=shop)},
        "/items": {"post": operation("item", 201, body=item)},
    }
    api = imported(tmp_path, paths)

    assert problems_of(tmp_path, api, References()) == []
    assert operations(api)["item"].needs == "shop"


def test_an_entity_that_takes_more_than_there_is_room_for_is_made_up(tmp_path: Path) -> None:
    free = dict.fromkeys("abcdef", ())
    api = imported(tmp_path, kept_by(**free, z=tuple(free)))

    created = operations(api)["create_z"]
    assert [f'"{each}_id":${{captured.' in str(created.message) for each in free] == [True] * 5 + [False]
