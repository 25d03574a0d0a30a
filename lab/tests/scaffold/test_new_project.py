"""`bakeoff init`: one file that works, from a description or without one."""

import json
import threading
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.errors import UsageError
from bakeoff.project import PROJECT_VARIABLE, Project
from bakeoff.scaffold.description_files import described_in
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import load_workload

DESCRIPTIONS = Path(__file__).parents[1] / "descriptions"
OPENAPI = DESCRIPTIONS / "users.openapi.yaml"
SHOP = DESCRIPTIONS.parent / "projects" / "shop" / "openapi.yaml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a service, which is the current one."""
    folder = tmp_path / "Shop API"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv(PROJECT_VARIABLE)
    return folder


@contextmanager
def serving(pages: Mapping[str, bytes]) -> Iterator[str]:
    """A service that answers these paths, 404 to others, and its address."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in pages else 404)
            self.end_headers()
            self.wfile.write(pages.get(self.path, b""))

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def lines(folder: Path) -> list[str]:
    return [line for line in (folder / "bakeoff.toml").read_text("utf-8").splitlines() if line]


def test_a_document_makes_a_short_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "openapi.yaml").write_bytes(OPENAPI.read_bytes())

    make_project(InitOptions())

    assert len(lines(folder)) < 15
    assert lines(folder)[0] == "#:schema .bakeoff/formats/project.schema.json"
    (target,) = find_targets(Project(folder))
    assert (target.name, target.workload, target.protocol) == ("shop-api", "shop-api", "rest")
    assert len(load_workload(Project(folder), "shop-api").declared.operations) == 7
    printed = capsys.readouterr().out
    assert "openapi.yaml: 7 operations: login, listUsers" in printed
    assert "PUT /users/{userId}/avatar is left out" in printed
    assert "run smoke --attach shop-api=http://127.0.0.1:8080" in printed


def test_without_a_description_one_operation_is_an_example(folder: Path) -> None:
    make_project(InitOptions(["prices"]))

    (operation,) = load_workload(Project(folder), "prices").declared.operations
    assert operation.http is not None and operation.http.path == "/"
    assert len(lines(folder)) < 15


def test_a_description_that_cannot_be_used_is_passed_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "api").mkdir()
    (folder / "swagger.json").write_text('{"swagger": "2.0"}', "utf-8")
    (folder / "openapi.yaml").write_text(f"openapi: 3.0.3\ninfo: {'[' * 3000}{']' * 3000}\n", "utf-8")
    (folder / "api" / "openapi.yaml").write_bytes(OPENAPI.read_bytes())

    make_project(InitOptions())

    assert 'openapi = "api/openapi.yaml"' in lines(folder)
    printed = capsys.readouterr().out
    assert "swagger.json describes no operation that can be sent" in printed
    assert f"- not used: {folder / 'openapi.yaml'} is neither JSON nor YAML: YAML parse error: recursion" in printed


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (SHOP, """message = '{"email":"demo@example.org","password":"correct horse"}'"""),
        (OPENAPI, "# <- credentials that exist"),
    ],
)
def test_a_login_is_for_a_person_where_its_description_has_no_examples(
    folder: Path, source: Path, message: str
) -> None:
    make_project(InitOptions(openapi=str(source)))

    assert lines(folder)[-1].endswith(message)


def _logging_in(folder: Path, login: Mapping[str, object], scheme: Mapping[str, str]) -> None:
    """Writes a description with a login and a list, which asks for a scheme."""
    token = {"application/json": {"schema": {"type": "object", "properties": {"token": {"type": "string"}}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "shop", "version": "1"},
        "components": {
            "securitySchemes": {"own": {"type": "http", **scheme}, "basic": {"type": "http", "scheme": "basic"}}
        },
        "paths": {
            "/login": {
                "post": {
                    "operationId": "login",
                    "responses": {"200": {"description": "token", "content": token}},
                    **login,
                }
            },
            "/items": {"get": {"operationId": "list", "security": [{"own": []}], "responses": {}}},
        },
    }
    (folder / "openapi.json").write_text(json.dumps(document), "utf-8")


def _body(schema: Mapping[str, object]) -> dict[str, object]:
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


BEARER, BASIC = {"scheme": "bearer"}, {"scheme": "basic"}
TEXT = {"type": "string"}
IN_USER = {"type": "object", "properties": {"email": TEXT, "password": TEXT, "device": TEXT}}
# ann:a${b, in base64.
GIVEN = "Basic YW5uOmEke2I="


@pytest.mark.parametrize(
    ("login", "scheme", "words"),
    [
        (_body(IN_USER), BEARER, r'"email":"ann","password":"a\u0024{b","device":'),
        (_body({"type": "object", "properties": {"user": IN_USER}}), BEARER, '{"user":{"email":"ann","password":"a'),
        ({"security": [{"basic": []}]}, BEARER, f'http = {{ headers = {{ Authorization = "{GIVEN}" }} }}'),
        ({"responses": {}}, BASIC, f'headers = {{ Authorization = "{GIVEN}" }}'),
    ],
    ids=["message", "nested", "header of the login", "header of each request"],
)
def test_a_given_user_logs_in(folder: Path, login: Mapping[str, object], scheme: Mapping[str, str], words: str) -> None:
    _logging_in(folder, login, scheme)

    make_project(InitOptions(login="ann:a${b"))

    text = (folder / "bakeoff.toml").read_text("utf-8")
    assert words in text
    assert "<- credentials" not in text and "replace-me" not in text
    assert load_workload(Project(folder), "shop-api").declared.operations


def test_a_login_by_header_is_for_a_person(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _logging_in(folder, {"security": [{"basic": []}]}, BEARER)

    make_project(InitOptions())

    assert "login logs each user in: give its header Authorization credentials that exist." in capsys.readouterr().out
    assert 'http = { headers = { Authorization = "Basic replace-me" } }    # <- USER:PASSWORD' in lines(folder)[-1]


@pytest.mark.parametrize("text", ["ann", ":secret", "ann:"])
def test_a_user_has_a_name_and_a_password(folder: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"--login takes the name and the password"):
        make_project(InitOptions(login=text))


def test_a_user_that_no_operation_takes_is_refused(folder: Path) -> None:
    _logging_in(folder, {"responses": {}}, BEARER)

    with pytest.raises(UsageError, match=r"--login: openapi.json has no operation that takes a name and a password"):
        make_project(InitOptions(login="ann:secret"))


def test_a_description_is_known_by_what_it_holds(folder: Path) -> None:
    (folder / "docs").mkdir()
    (folder / "docs" / "other.json").write_text('{"swagger": "a word"}', "utf-8")
    (folder / "docs" / "spec.yml").write_bytes(OPENAPI.read_bytes())

    make_project(InitOptions())

    assert 'openapi = "docs/spec.yml"' in lines(folder)


@pytest.mark.parametrize(
    ("page", "path"),
    [
        ('<elements-api apiDescriptionUrl="/apispec.json" />', "/apispec.json"),
        ('<script>ui({ url: "../schema/v1", dom: 1 })</script>', "/schema/v1"),
        ("<redoc spec-url='/files/my.yaml'></redoc>", "/files/my.yaml"),
        ("<html></html>", "/api/docs-json"),
    ],
)
def test_a_page_of_documentation_shows_where_the_description_is(folder: Path, page: str, path: str) -> None:
    pages = {"/api/docs": page.encode(), "/openapi.json": b"<html>no openapi here, and no paths</html>"}
    with serving({**pages, path: OPENAPI.read_bytes()}) as address:
        make_project(InitOptions([address]))

    assert len(load_workload(Project(folder), "shop-api").declared.operations) == 7


def test_a_proto_file_makes_a_target_of_grpc(folder: Path) -> None:
    make_project(InitOptions(proto=DESCRIPTIONS / "users.proto"))

    (target,) = find_targets(Project(folder))
    assert (target.protocol, len(load_workload(Project(folder), "shop-api").declared.operations)) == ("grpc", 3)


def test_a_running_service_shows_its_description(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving({"/openapi.yaml": OPENAPI.read_bytes()}) as address:
        make_project(InitOptions([address]))

    assert (folder / "openapi.yaml").read_bytes() == OPENAPI.read_bytes()
    assert len(load_workload(Project(folder), "shop-api").declared.operations) == 7
    assert f"run smoke --attach shop-api={address}" in capsys.readouterr().out


def test_a_running_service_without_a_description_is_asked_for_its_path(folder: Path) -> None:
    with serving({}) as address:
        make_project(InitOptions([f"{address}/items"]))

    (operation,) = load_workload(Project(folder), "shop-api").declared.operations
    assert operation.http is not None
    assert (operation.http.path, operation.http.expect) == ("/items", 404)


def test_a_description_is_downloaded_and_never_over_another(folder: Path) -> None:
    (folder / "openapi.yaml").write_text("mine", "utf-8")

    with serving({"/docs": OPENAPI.read_bytes()}) as address:
        with pytest.raises(UsageError, match=r"openapi.yaml exists, has other content, and was not changed"):
            make_project(InitOptions(openapi=f"{address}/docs"))
        with pytest.raises(UsageError, match=r"/none answered 404: name the address of an OpenAPI document"):
            make_project(InitOptions(openapi=f"{address}/none"))

    assert [path.name for path in folder.iterdir()] == ["openapi.yaml"]


def test_commands_of_the_repository_are_in_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "Procfile").write_text("web: python3 api.py\n", "utf-8")
    (folder / "api.py").write_text("import os, sqlite3\nos.environ['PORT'], os.environ['DB_PATH']\n", "utf-8")
    (folder / "openapi.yaml").write_bytes(OPENAPI.read_bytes())

    make_project(InitOptions())

    (target,) = find_targets(Project(folder))
    assert target.manifest.run.command[-1] == "exec python3 api.py"
    assert target.manifest.storage.kind == "files"
    assert target.why_skipped is None
    assert capsys.readouterr().out.rstrip().endswith("bakeoff run smoke")
    assert len(lines(folder)) < 15


def test_an_existing_file_is_not_changed_and_what_it_lacks_is_said(folder: Path) -> None:
    make_project(InitOptions())
    before = (folder / "bakeoff.toml").read_bytes()

    with pytest.raises(UsageError, match=r"exists and was not changed\. It has shop-api already"):
        make_project(InitOptions())
    with pytest.raises(UsageError, match=r"Add to it:\n\n\[targets.b\]\nworkload = \"b\"") as refused:
        make_project(InitOptions(["b"]))

    assert (folder / "bakeoff.toml").read_bytes() == before
    with (folder / "bakeoff.toml").open("a", encoding="utf-8") as file:
        file.write(refused.value.message.split("Add to it:")[1])
    assert load_workload(Project(folder), "b").declared.operations


def test_editors_get_a_schema_of_the_whole_file(folder: Path) -> None:
    make_project(InitOptions(openapi=str(OPENAPI)))

    schema = json.loads((folder / ".bakeoff" / "formats" / "project.schema.json").read_text("utf-8"))
    document = tomllib.loads((folder / "bakeoff.toml").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    validator.validate({**document, "workloads": {"a": {"operations": [{"name": "b"}]}}})
    assert not validator.is_valid({"targets": {"a": {"rnu": "x"}}})
    assert not validator.is_valid({"workloads": {"a": {"operations": [{"nmae": "b"}]}}})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (InitOptions(["a", "b"]), "init takes one name and one URL, not a b"),
        (InitOptions(protocol="grpc"), "--protocol is for --full"),
        (InitOptions(login="a:b", full=True), "--login is for the operations of a description"),
        (InitOptions(openapi="none.yaml"), "none.yaml cannot be read: "),
        (InitOptions(["http://127.0.0.1:1/a"]), "http://127.0.0.1:1/openapi.json does not answer"),
        (InitOptions(["http://a/b?c=d"]), "is not an API address"),
        (InitOptions(["Not A Name"]), '"Not A Name" is not a workload name'),
    ],
)
def test_mistakes_write_nothing(folder: Path, options: InitOptions, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        make_project(options)

    assert words in refused.value.message
    assert list(folder.iterdir()) == []


MANY = {
    "openapi": "3.0.3",
    "info": {"title": "Many", "version": "1"},
    "servers": [{"url": "https://api.example.com/v3"}],
    "security": [{"key": []}],
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "key"}}},
    "paths": {
        f"/{{org}}/{{repo}}/part{index}": {
            "get": {
                "operationId": f"part{index}",
                "parameters": [
                    {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                    for name in ("org", "repo")
                ],
                "responses": {"200": {"description": "ok"}},
            }
        }
        for index in range(300)
    },
}


@pytest.mark.parametrize("full", [False, True])
def test_many_notes_are_few_lines_and_no_public_address_is_in_a_command(
    folder: Path, capsys: pytest.CaptureFixture[str], full: bool
) -> None:
    (folder / "many.json").write_text(json.dumps(MANY), "utf-8")

    make_project(InitOptions(["many"], openapi="many.json", full=full))

    printed = capsys.readouterr().out.splitlines()
    assert len(printed) < 25
    assert any("300 operations: part0, part1" in line and "and 288 more" in line for line in printed)
    assert sum("(300 times: part0, part1, part2 and 297 more)" in line for line in printed) == 2
    commands = [line for line in printed if "--attach" in line]
    assert commands and all("http://127.0.0.1:8080" in line for line in commands)
    assert "- Its server is https://api.example.com: nothing is sent there unless you name it yourself." in printed
    if not full:
        assert 'query = { key = "replace-me" }' in (folder / "bakeoff.toml").read_text("utf-8")


def test_faults_of_the_description_are_printed_and_hinder_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = {**MANY, "info": {"title": "Many"}}
    (folder / "many.json").write_text(json.dumps(document, indent=1), "utf-8")

    make_project(InitOptions(["many"], openapi="many.json"))

    assert '- many.json: line 3: /info: "version" is a required property' in capsys.readouterr().out


def test_files_that_a_downloaded_description_refers_to_are_downloaded_too(folder: Path) -> None:
    head = b'openapi: 3.0.3\ninfo: { title: t, version: "1" }\n'
    pages = {
        "/docs/api.yaml": head + b"paths: { /a: { $ref: 'parts/a.yaml' }, /b: { $ref: ../secret.yaml } }\n",
        "/docs/parts/a.yaml": b"get: { operationId: a, responses: { '200': { $ref: 'ok.json#/Ok' } } }\n",
        "/docs/parts/ok.json": b'{"Ok": {"description": "ok"}}',
        "/secret.yaml": b"get: {}",
    }
    with serving(pages) as address:
        make_project(InitOptions(["t"], openapi=f"{address}/docs/api.yaml"))

    (operation,) = load_workload(Project(folder), "t").declared.operations
    assert operation.name == "a"
    assert (folder / "parts" / "ok.json").read_bytes() == pages["/docs/parts/ok.json"]
    assert not (folder.parent / "secret.yaml").exists()


def test_files_too_large_to_be_descriptions_are_not_read(tmp_path: Path) -> None:
    large = tmp_path / "fixtures.json"
    large.write_bytes(b'{"openapi": "3.0.3", "paths": {}}')
    assert described_in(tmp_path) == [large]
    with large.open("ab") as file:
        file.truncate(65 << 20)
    assert described_in(tmp_path) == []
