"""Workloads from an OpenAPI document and from a proto file."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from as_json import as_json
from bakeoff.conformance.grpc_protocol import codec_of
from bakeoff.conformance.runner import load_cases
from bakeoff.descriptions.imported import ImportedApi
from bakeoff.descriptions.openapi_import import import_openapi
from bakeoff.descriptions.proto_import import import_proto
from bakeoff.descriptions.proto_sources import ProtoSource
from bakeoff.descriptions.references import Resolve
from bakeoff.descriptions.schema_templates import SchemaTemplates
from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.scaffold.cases import sample
from bakeoff.scaffold.import_files import imported_scaffold, write_import
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.declaration import HttpHealth
from bakeoff.workload.loader import Workload, load_workload
from bakeoff.workload.plan import Load, compile_plan

HERE = Path(__file__).parent


def written(checkout: Project, api: ImportedApi, source: Path) -> Workload:
    write_import(checkout, imported_scaffold("users", api, None), api, source)
    return load_workload(checkout, "users")


def by_name(workload: Workload) -> dict[str, Any]:
    return {each.name: _without_defaults(as_json(each)) for each in workload.declared.operations}


def _without_defaults(table: dict[str, Any]) -> dict[str, Any]:
    """The file's members: those that are missing have these values."""
    said = {name: _without_defaults(each) if isinstance(each, dict) else each for name, each in table.items()}
    return {name: each for name, each in said.items() if each not in (None, {}, [])}


def test_operations_follow_from_an_openapi_document(empty_checkout: Project) -> None:
    source = HERE / "users.openapi.yaml"
    workload = written(empty_checkout, import_openapi(source), source)

    operations = by_name(workload)
    assert list(operations) == ["login", "listUsers", "createUser", "getUser", "updateUser", "deleteUser", "search"]
    assert operations["login"]["login"] is True
    assert operations["createUser"]["creates"] == "user"
    assert operations["createUser"]["http"]["capture"] == {"id": "/id"}
    assert operations["createUser"]["http"]["expect"] == 201
    assert operations["getUser"]["http"]["path"] == "/api/users/${captured.id}"
    assert operations["getUser"]["http"]["headers"] == {"Authorization": "Bearer ${login.token}"}
    assert operations["getUser"]["reads"] == {"document": "", "key": ["user", "${captured.id}"], "absent": 404}
    assert operations["deleteUser"]["effect"] == {"kind": "delete", "key": ["user", "${captured.id}"]}
    assert operations["listUsers"]["http"]["path"] == "/api/users?limit=${integer 1 50}"
    assert (operations["search"]["body"], operations["search"]["message"]) == ("form", '{"text":"${alphanumeric 3}"}')
    assert workload.declared.health.http == HttpHealth(method="GET", path="/api/health", expect=200)
    load = Load("users-rest", "http", "127.0.0.1", 1, "smoke", phases=[])
    assert len(compile_plan(workload, load).operations) == 7
    (target,) = find_targets(empty_checkout)
    assert (target.name, target.default_port, target.protocol) == ("users-rest", 3000, "rest")


def test_what_is_left_out_and_what_is_to_be_decided_are_said() -> None:
    api = import_openapi(HERE / "users.openapi.yaml")

    assert api.left_out == [
        "PUT /users/{userId}/avatar is left out: the parts of its multipart/form-data are not described."
    ]
    assert api.advice == ["login logs each user in: give its message credentials that exist."]


def test_conformance_cases_follow_an_entity_through_its_life(empty_checkout: Project) -> None:
    source = HERE / "users.openapi.yaml"
    health, life = load_cases(written(empty_checkout, import_openapi(source), source))

    assert (health.name, life.name) == ("health", "life-of-user")
    steps = [step.operation for step in life.steps]
    assert steps == ["login", "createUser", "getUser", "updateUser", "getUser", "deleteUser", "getUser"]
    sides: list[Any] = [step.sides for step in life.steps]
    assert sides[2]["http"]["expect"]["body"] == {"$includes": life.steps[1].message}
    assert sides[6]["http"]["expect"]["status"] == 404


def test_methods_follow_from_a_proto_file(empty_checkout: Project) -> None:
    source = HERE / "users.proto"
    api = import_proto(ProtoSource(source))
    workload = written(empty_checkout, api, source)

    assert api.left_out == ["WatchUsers is left out: it streams."]
    operations = by_name(workload)
    assert list(operations) == ["CreateUser", "GetUser", "DeleteUser"]
    assert operations["CreateUser"]["grpc"] == {
        "method": "users.v1.Users/CreateUser",
        "expect": "OK",
        "capture": {"id": "/id"},
    }
    assert operations["GetUser"]["message"] == '{"userId":${captured.id}}'
    assert operations["DeleteUser"]["effect"] == {"kind": "delete", "key": ["user", "${captured.id}"]}
    message = sample(operations["CreateUser"]["message"])
    assert isinstance(message, dict)
    assert set(message) == {"displayName", "email", "kind", "bornAt", "tags", "scores", "phone", "balance", "picture"}
    assert codec_of(workload).encode("users.v1.CreateUserRequest", message)
    (life,) = load_cases(workload)
    assert [step.operation for step in life.steps] == ["CreateUser", "GetUser", "DeleteUser", "GetUser"]
    assert (workload.directory / "shared" / "money.proto").is_file()


SCHEMAS: list[dict[str, Any]] = [
    {"type": "integer", "minimum": 5, "maximum": 5},
    {"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 8},
    {"type": "integer", "maximum": -3},
    {"type": "integer", "minimum": 7, "multipleOf": 5, "maximum": 40},
    {"type": "integer", "maximum": 2_000_000_000, "multipleOf": 10},
    {"type": "number", "minimum": 0, "maximum": 1},
    {"type": "string", "minLength": 30, "maxLength": 30},
    {"type": "string", "maxLength": 2},
    {"type": "string", "format": "uuid"},
    {"type": "string", "pattern": "^A[0-9]+$", "example": "A17"},
    {"type": "string", "pattern": "^password$"},
    {"type": "string", "pattern": "^(?:client-credentials)$"},
    {"enum": ["a|b", "c"]},
    {"enum": ["x", "y", None]},
    {"enum": [1, 2, 3]},
    {"const": {"a": [1]}},
    {"type": ["null", "boolean"]},
    {"type": "array", "minItems": 2, "items": {"type": "string", "enum": ["only"]}},
    {"anyOf": [{"type": "null"}, {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}]},
    {
        "allOf": [{"properties": {"a": {"type": "integer"}}}, {"required": ["a"], "properties": {"b": {"const": "x"}}}],
        "type": "object",
    },
    {"$ref": "#/$defs/tree"},
]
TREE = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
        "mother": {"$ref": "#/$defs/tree"},
    },
}


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_values_obey_their_schema(schema: dict[str, Any]) -> None:
    document: dict[str, Any] = {"$defs": {"tree": TREE}}
    template = SchemaTemplates(Resolve(document)).json(schema, "some-name")
    for number in range(50):
        Draft202012Validator({**schema, **document}).validate(sample(template, number))


PET: dict[str, Any] = {
    "type": "object",
    "required": ["kind"],
    "properties": {"kind": {"type": "string", "enum": ["cat", "dog"]}},
    "oneOf": [{"$ref": "#/$defs/dog"}, {"$ref": "#/$defs/cat"}],
}


@pytest.mark.parametrize(
    ("name", "members"), [("pet", {"kind", "barks"}), ("dog", {"kind", "barks"}), ("cat", {"kind", "purrs", "mother"})]
)
def test_a_subtype_that_names_its_base_has_the_members_of_both(name: str, members: set[str]) -> None:
    def subtype(**properties: object) -> dict[str, Any]:
        return {"allOf": [{"$ref": "#/$defs/pet"}, {"type": "object", "properties": properties}]}

    cat = subtype(purrs={"type": "boolean"}, mother={"$ref": "#/$defs/cat"})
    definitions = {"pet": PET, "dog": subtype(barks={"type": "boolean"}), "cat": cat}
    templates = SchemaTemplates(Resolve({"$defs": definitions}))

    value = sample(templates.json({"$ref": f"#/$defs/{name}"}))

    assert isinstance(value, dict)
    assert value.keys() == members


def test_an_array_that_must_hold_itself_ends() -> None:
    nested: dict[str, Any] = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/nested"}}

    assert sample(SchemaTemplates(Resolve({"$defs": {"nested": nested}})).json(nested))


def test_a_pattern_without_an_example_is_to_be_decided() -> None:
    templates = SchemaTemplates(Resolve({}))
    templates.json({"type": "string", "pattern": "^(?!x).\\b\\B$"}, "code")
    assert templates.unmatched[0][0] == "code must match ^(?!x).\\b\\B$"


MINIMAL = 'openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths: {}\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is neither JSON nor YAML"),
        ("[]", "is not an OpenAPI document: it has no members such as openapi and paths"),
        ("paths: {}", "has neither openapi: 3.x nor swagger: 2.0: supported are OpenAPI 3.0, 3.1 and 3.2"),
        ('swagger: "1.2"', "has version 1.2: supported are"),
        ('swagger: "2.0"', "describes no operation that can be sent"),
        (MINIMAL, "describes no operation that can be sent"),
    ],
)
def test_a_document_that_cannot_be_used_says_why(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "api.yaml").write_text(text, "utf-8")
    with pytest.raises(UsageError, match=words):
        import_openapi(tmp_path / "api.yaml")


def test_a_proto_file_without_a_service_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.proto").write_text('syntax = "proto3"; message A {}', "utf-8")
    with pytest.raises(UsageError, match="declares no service"):
        import_proto(ProtoSource(tmp_path / "a.proto"))


def test_without_ids_in_replies_values_of_paths_are_to_be_decided(tmp_path: Path) -> None:
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string", "enum": ["a", "b"]}}
    paths = {"/things/{name}": {"get": {"responses": {"200": {"description": "it"}}, "parameters": [name]}}}
    document = {"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": paths}
    (tmp_path / "api.json").write_text(json.dumps(document), "utf-8")

    api = import_openapi(tmp_path / "api.json")

    (operation,) = api.operations
    assert (operation.name, operation.call["path"]) == ("GET /things/{name}", "/things/${choice a|b}")
    assert any("Write values that exist" in line for line in api.advice)
    assert api.health is None


@pytest.mark.parametrize(
    ("security", "read_back"), [("security: [{ bearer: [] }]", ["getUser"]), ("security: []", ["getUser"])]
)
def test_what_is_shown_by_id_can_be_read_back_with_a_login_and_without(
    empty_checkout: Project, tmp_path: Path, security: str, read_back: list[str]
) -> None:
    text = (HERE / "users.openapi.yaml").read_text("utf-8")
    assert "security: [{ bearer: [] }]" in text
    source = tmp_path / "users.openapi.yaml"
    source.write_text(text.replace("security: [{ bearer: [] }]", security, 1), "utf-8")

    assert list(written(empty_checkout, import_openapi(source), source).declared.reads_back) == read_back


JSON_TYPE, FORM_TYPE = "application/json", "application/x-www-form-urlencoded"
USER = {"type": "string", "format": "email", "example": "a@b.org"}


@pytest.mark.parametrize(
    ("media_type", "schema", "beside", "message"),
    [
        (JSON_TYPE, {"user": USER, "code": {"type": "string", "example": 12}}, {}, '{"user":"a@b.org","code":"12"}'),
        (JSON_TYPE, {"user": {"default": "ada"}, "kind": {"const": "x"}}, {}, '{"user":"ada","kind":"x"}'),
        (JSON_TYPE, {"user": {"type": "string", "examples": ["ada", "bob"]}}, {}, '{"user":"ada"}'),
        (JSON_TYPE, {"inner": {"type": "object", "properties": {"user": USER}}}, {}, '{"inner":{"user":"a@b.org"}}'),
        (JSON_TYPE, {"user": {"type": "string"}}, {"example": {"user": "ada"}}, '{"user":"ada"}'),
        (JSON_TYPE, {"user": {"type": "string"}}, {"examples": {"one": {"value": {"user": "a"}}}}, '{"user":"a"}'),
        (FORM_TYPE, {"user": USER}, {}, '{"user":"a@b.org"}'),
        (FORM_TYPE, {"user": {"type": "string"}}, {"example": {"user": "a b"}}, '{"user":"a b"}'),
    ],
)
def test_a_login_is_sent_with_the_examples_of_its_description(
    tmp_path: Path, media_type: str, schema: dict[str, Any], beside: dict[str, Any], message: str
) -> None:
    content = {media_type: {"schema": {"type": "object", "properties": schema}, **beside}}
    token = {"properties": {"token": {"type": "string"}}}
    reply = {"200": {"description": "a token", "content": {"application/json": {"schema": token}}}}
    same = {"requestBody": {"content": content}, "responses": reply}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "security": [{"b": []}],
        "components": {"securitySchemes": {"b": {"type": "http", "scheme": "bearer"}}},
        "paths": {"/login": {"post": same}, "/notes": {"post": same}},
    }
    (tmp_path / "api.json").write_text(json.dumps(document), "utf-8")

    api = import_openapi(tmp_path / "api.json")

    login, other = api.operations
    assert (login.is_login, login.message, api.advice) == (True, message, [])
    assert "const" in json.dumps(schema) or "${" in str(other.message), "what others send varies"


def test_an_api_with_a_login_is_audited_by_its_reads() -> None:
    api = import_openapi(HERE.parent / "projects" / "shop" / "openapi.yaml")

    create = next(each for each in api.operations if each.creates == "item")
    assert api.read_back == ["readItem"]
    assert create.effect == {"kind": "put", "document": "", "key": ["item", "${captured.id}"]}


def test_a_login_of_oauth_is_the_operation_of_its_token_url(tmp_path: Path) -> None:
    flow = {"password": {"tokenUrl": "auth/sign", "scopes": {}}}
    form = {"type": "object", "required": ["username"], "properties": {"username": {"enum": ["ada"]}, "scope": {}}}
    login = {
        "operationId": "sign",
        "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": form}}},
        "responses": {"200": {"description": "a token", "content": {"application/json": {"schema": {}}}}},
    }
    me = {"operationId": "me", "security": [{"o": []}], "responses": {"200": {"description": "the user"}}}
    document = {
        "openapi": "3.0.3",
        "info": {"title": "t", "version": "1"},
        "components": {"securitySchemes": {"o": {"type": "oauth2", "flows": flow}}},
        "paths": {"/auth/sign": {"post": login}, "/me": {"get": me}},
    }
    (tmp_path / "api.json").write_text(json.dumps(document), "utf-8")

    sign, get_me = import_openapi(tmp_path / "api.json").operations

    assert (sign.is_login, sign.call["capture"]) == (True, {"token": "/access_token"})
    assert sign.message == '{"username":"ada"}'
    assert get_me.call["headers"] == {"Authorization": "Bearer ${login.token}"}


@pytest.mark.parametrize(
    ("scheme", "header"),
    [
        ({"name": "Authorization", "description": "The JWT token. Format: Token xxxxxx.yyyyyyy.zzzzzz"}, "Token "),
        ({"name": "Authorization", "description": "Type `Bearer <token>`"}, "Bearer "),
        ({"name": "Authorization"}, "Bearer "),
        ({"name": "X-Auth-Token"}, ""),
    ],
)
def test_a_key_in_a_header_for_tokens_is_what_a_login_returns(
    tmp_path: Path, scheme: dict[str, Any], header: str
) -> None:
    api = _with_users(tmp_path, {"type": "apiKey", "in": "header", **scheme}, example={"email": "ada@example.org"})

    login, register, me = api.operations
    assert (login.is_login, login.call["capture"], register.is_login) == (True, {"token": "/user/token"}, False)
    assert me.call["headers"] == {scheme["name"]: f"{header}${{login.token}}"}
    assert api.advice == []


def test_a_key_that_no_login_returns_is_asked_for(tmp_path: Path) -> None:
    api = _with_users(tmp_path, {"type": "apiKey", "in": "header", "name": "X-API-Key"}, example={"email": "a@b.org"})

    assert not any(each.is_login for each in api.operations)
    assert api.operations[-1].call["headers"] == {"X-API-Key": "replace-me"}


def test_where_no_user_is_known_a_registration_logs_in(tmp_path: Path) -> None:
    api = _with_users(tmp_path, {"type": "http", "scheme": "bearer"})

    register, me = api.operations
    assert (register.is_login, register.call["capture"]) == (True, {"token": "/user/token"})
    assert "${" in str(register.message), "each user registers under an address of its own"
    assert me.call["headers"] == {"Authorization": "Bearer ${login.token}"}
    assert api.advice == []
    assert "it needs a user who exists: register registers one for each virtual user" in " ".join(api.left_out)


def _with_users(tmp_path: Path, scheme: dict[str, Any], example: dict[str, Any] | None = None) -> ImportedApi:
    """An API whose login and registration return a token within the user; the example is of its login."""
    text = {"type": "string"}
    credentials = {"type": "object", "properties": {"email": {**text, "format": "email"}}}
    shown = {"properties": {"user": {"type": "object", "properties": {"token": text, "email": text}}}}
    reply = {"200": {"description": "a user", "content": {"application/json": {"schema": shown}}}}

    def post(name: str, **beside: object) -> dict[str, Any]:
        content = {"application/json": {"schema": credentials, **beside}}
        return {"operationId": name, "requestBody": {"content": content}, "responses": reply}

    me = {"operationId": "me", "security": [{"t": []}], "responses": {"200": {"description": "the user"}}}
    given = {} if example is None else {"example": example}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "components": {"securitySchemes": {"t": scheme}},
        "paths": {
            "/users/login": {"post": post("login", **given)},
            "/users": {"post": post("register")},
            "/user": {"get": me},
        },
    }
    (tmp_path / "api.json").write_text(json.dumps(document), "utf-8")
    return import_openapi(tmp_path / "api.json")


@pytest.mark.parametrize(
    ("path", "method", "required", "sent"),
    [
        ("/users/me", "put", [], {"name"}),
        ("/auth/me", "patch", [], {"name"}),
        ("/users/me", "patch", ["email"], None),
        ("/current/user/password", "post", ["password"], None),
        ("/account", "delete", [], None),
        ("/users", "post", ["email", "password"], {"email", "password", "name"}),
        ("/user", "post", ["email", "password"], {"email", "password", "name"}),
        ("/users/{user}", "put", ["email"], {"email", "password", "name"}),
    ],
)
def test_the_account_that_users_log_in_with_stays_as_it_is(
    tmp_path: Path, path: str, method: str, required: list[str], sent: set[str] | None
) -> None:
    text = {"type": "string"}
    user = {"properties": {"email": text, "password": text, "name": text}, "type": "object", "required": required}
    body = {"requestBody": {"content": {"application/json": {"schema": user}}}} if method != "delete" else {}
    schemes = {"own": {"type": "http", "scheme": "basic"}}
    document = {
        "openapi": "3.1.0",
        "components": {"securitySchemes": schemes},
        "security": [{"own": []}],
        "paths": {path: {method: {"operationId": "change", **body}}, "/items": {"get": {"operationId": "list"}}},
    }
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document), "utf-8")

    api = import_openapi(file)

    changing = next((each for each in api.operations if each.name == "change"), None)
    assert (None if changing is None else set(json.loads(str(changing.message)))) == sent
    assert changing is not None or "the other operations" in api.left_out[0]


def test_a_login_takes_a_password_and_no_code_of_another_party(tmp_path: Path) -> None:
    text = {"type": "string"}
    token = {"content": {"application/json": {"schema": {"properties": {"token": text}}}}, "description": "it"}

    def login(*members: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": dict.fromkeys(members, text)}
        body = {"content": {"application/json": {"schema": schema}}}
        return {"post": {"requestBody": body, "responses": {"200": token}, "security": []}}

    bearer = {"type": "http", "scheme": "bearer"}
    key = {"type": "apiKey", "in": "header", "name": "X-Key"}
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "components": {"securitySchemes": {"own": bearer, "key": key, "basic": {"type": "http", "scheme": "basic"}}},
        "security": [{"key": []}, {"own": []}, {"basic": []}],
        "paths": {"/token/oidc": login("code", "state"), "/items": {"get": {"operationId": "list"}}},
    }
    file = tmp_path / "openapi.json"

    file.write_text(json.dumps(document), "utf-8")
    api = import_openapi(file)
    assert not any(each.is_login for each in api.operations)
    assert api.credentials == {"Authorization": "Basic replace-me"}

    document["security"] = [{"own": []}]
    document["paths"] |= {"/token/refresh": login("refreshToken"), "/token/device": login("device")}
    document["paths"] |= {"/token": login("user", "password")}
    file.write_text(json.dumps(document), "utf-8")
    assert [each.name for each in import_openapi(file).operations if each.is_login] == ["POST /token"]
