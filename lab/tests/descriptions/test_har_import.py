"""Recordings of browsers: a session, its values linked, other hosts and static files left out."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.descriptions.har_import import RecordedSession, import_har
from bakeoff.errors import UsageError
from bakeoff.project import PROJECT_VARIABLE, Project
from bakeoff.workload.loader import load_workload

API = "https://api.shop.example"
CHROME = {":authority": "api.shop.example", "sec-fetch-mode": "cors", "user-agent": "Mozilla", "accept": "*/*"}


def entry(
    method: str,
    url: str,
    reply: Any = None,
    *,
    status: int = 200,
    sent: Any = None,
    kind: str = "application/json",
    headers: Mapping[str, str] | None = None,
    shown: Mapping[str, str] | None = None,
    reply_kind: str = "application/json",
) -> dict[str, Any]:
    text = sent if isinstance(sent, str) else json.dumps(sent)
    named = {**CHROME, **(headers or {}), **({"content-type": kind} if sent is not None else {})}
    request: dict[str, Any] = {
        "method": method,
        "url": url,
        "headers": [{"name": name, "value": value} for name, value in named.items()],
    }
    if sent is not None:
        request["postData"] = {"mimeType": kind, "text": text}
    response = {
        "status": status,
        "headers": [{"name": name, "value": value} for name, value in (shown or {}).items()],
        "content": {"mimeType": reply_kind, "text": "" if reply is None else json.dumps(reply)},
    }
    return {"request": request, "response": response}


ITEMS = {"items": [{"id": 7, "sku": "T-100200"}, {"id": 8, "sku": "T-100300"}], "page": 1}
FORM = "application/x-www-form-urlencoded"
SHOPPING = [
    entry("GET", "https://www.shop.example/", reply_kind="text/html"),
    entry("GET", "https://cdn.tracker.example/pixel.gif?u=1", reply_kind="image/gif"),
    entry("POST", "https://metrics.tracker.example/collect", {"ok": True}, sent={"event": "view"}),
    entry("POST", f"{API}/login", {"token": "eyJ0eXAi.42"}, sent={"user": "ada", "password": "secret"}),
    entry("GET", f"{API}/app.js", reply_kind="application/javascript"),
    entry("OPTIONS", f"{API}/items", status=204),
    entry("GET", f"{API}/items?page=1", ITEMS),
    entry(
        "POST",
        f"{API}/cart",
        {"cart": {"id": "c-31337", "count": 1}},
        status=201,
        sent={"sku": "T-100300", "item_id": 8, "count": 1},
        headers={"authorization": "Bearer eyJ0eXAi.42", "x-client": "web"},
    ),
    entry("GET", f"{API}/carts/c-31337?fields=id", {"id": "c-31337"}, headers={"authorization": "Bearer eyJ0eXAi.42"}),
    entry("GET", f"{API}/items?page=1", {"items": [], "page": 1}, status=304),
    entry("POST", f"{API}/pay", None, status=303, sent="cart=c-31337&card=4111", kind=FORM,
          shown={"Location": "/receipts/r-9001"}),
    entry("GET", f"{API}/receipts/r-9001", {"paid": True}),
]  # fmt: skip


def recorded(folder: Path, entries: list[dict[str, Any]]) -> RecordedSession:
    file = folder / "session.har"
    file.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}), "utf-8")
    return import_har(file)


def test_a_session_has_the_requests_of_the_api_with_linked_values(tmp_path: Path) -> None:
    session = recorded(tmp_path, SHOPPING)

    assert session.address == API
    assert session.steps == [
        "POST /login",
        "GET /items",
        "POST /cart",
        "GET /carts/{id_2}",
        "GET /items",
        "POST /pay",
        "GET /receipts/{location_id}",
    ]
    sent: dict[str, Any] = {str(each["name"]): each for each in session.operations}
    assert sent["POST /login"]["http"]["capture"] == {"token": "/token"}
    assert sent["GET /items"]["http"]["capture"] == {"sku": "/items/1/sku", "id": "/items/1/id"}
    cart = sent["POST /cart"]
    assert (
        cart["message"] == '{"sku":"${captured.sku}","item_id":${captured.id_2},"count":1}'
        or "${captured" in cart["message"]
    )
    assert cart["http"]["headers"] == {"x-client": "web", "Authorization": "Bearer ${captured.token}"}
    assert sent["GET /items"]["http"]["expect"] == 200, "nothing is cached"
    assert sent["POST /pay"]["http"]["expect"] == 303
    assert sent["POST /pay"]["http"]["capture"] == {"location_id": "header:location/"}
    assert sent["POST /pay"]["body"] == "form"
    assert sent["GET /receipts/{location_id}"]["http"]["path"] == "/receipts/${captured.location_id}"


def test_other_hosts_and_static_files_are_counted(tmp_path: Path) -> None:
    notes = recorded(tmp_path, SHOPPING).notes

    assert notes[0] == (
        "3 requests to other hosts are left out: https://www.shop.example (1), https://cdn.tracker.example (1), "
        "https://metrics.tracker.example (1)."
    )
    assert notes[1] == "2 requests for static files and preflights are left out."
    assert notes[2].endswith(" values are taken from earlier replies.")
    assert notes[3].startswith("The file has what was typed, passwords too")


def test_an_authorization_of_before_is_not_written(tmp_path: Path) -> None:
    session = recorded(tmp_path, [entry("GET", f"{API}/me", {}, headers={"authorization": "Bearer s3cret"})])

    assert "s3cret" not in json.dumps(session.operations)
    assert any("set BAKEOFF_API_TOKEN" in note for note in session.notes)


def test_small_numbers_and_words_are_no_links(tmp_path: Path) -> None:
    session = recorded(
        tmp_path,
        [
            entry("GET", f"{API}/a", {"page": 1, "state": "open", "count": 20}),
            entry("GET", f"{API}/b/1?state=open&count=20", {}),
        ],
    )

    assert "captured" not in json.dumps(session.operations)


PARTS = "multipart/form-data; boundary=----Own"


@pytest.mark.parametrize("has_text", [True, False])
def test_a_form_with_files_is_sent_again(tmp_path: Path, has_text: bool) -> None:
    head = '------Own\r\nContent-Disposition: form-data; name="'
    text = f'{head}title"\r\n\r\nGrün\r\n{head}owner"\r\n\r\nu-31337\r\n'
    text += f'{head}photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n\r\n------Own--\r\n'
    upload = entry("POST", f"{API}/photos", {"ok": True}, sent=text if has_text else "", kind=PARTS)
    if not has_text:
        upload["request"]["postData"]["params"] = [
            {"name": "title", "value": "Grün"},
            {"name": "owner", "value": "u-31337"},
            {"name": "photo", "fileName": "a.png"},
        ]

    session = recorded(tmp_path, [entry("GET", f"{API}/me", {"id": "u-31337"}), upload])

    (sent,) = [each for each in session.operations if each["name"] == "POST /photos"]
    assert (sent["body"], sent["http"]) == ("multipart", {"method": "POST", "path": "/photos", "expect": 200})
    message = json.loads(str(sent["message"]))
    assert (message["title"], message["owner"]) == ("Grün", "${captured.id}")
    photo = message["photo"]
    assert (photo["filename"], photo["content_type"], photo["base64"][:6]) == ("a.png", "image/png", "iVBORw")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is no HAR, which is JSON"),
        ("{}", "is no HAR: it has no log with entries"),
        ('{"log": {"entries": []}}', "has no requests over HTTP"),
        (
            json.dumps({"log": {"entries": [entry("GET", f"{API}/a.css", reply_kind="text/css")]}}),
            "has nothing but static files",
        ),
    ],
)
def test_what_is_no_recording_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "x.har").write_text(text, "utf-8")

    with pytest.raises(UsageError, match=words):
        import_har(tmp_path / "x.har")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(PROJECT_VARIABLE, raising=False)
    return tmp_path


def test_a_recording_makes_a_project_that_loads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "s.har").write_text(json.dumps({"log": {"entries": SHOPPING}}), "utf-8")

    make_project(InitOptions(["shop"], har=folder / "s.har"))

    workload = load_workload(Project(folder), "shop").declared
    assert [len(session.steps) for session in workload.sessions] == [7]
    assert all(each.weight == 0 for each in workload.operations)
    printed = capsys.readouterr().out
    assert f"It was sent to {API}: nothing is sent there unless you name it yourself." in printed
    assert "--attach shop=http://127.0.0.1:8080" in printed


def test_curl_commands_make_a_project_that_loads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["curl -L http://127.0.0.1:3000/a -d 'x=1'", "curl http://127.0.0.1:3000/a", "curl http://127.0.0.1:3000/a"]

    make_project(InitOptions(["shop"], from_curl=lines))

    workload = load_workload(Project(folder), "shop").declared
    assert [each.name for each in workload.operations] == ["POST /a", "GET /a", "GET /a 2"]
    printed = capsys.readouterr().out
    assert "- curl's -L (redirects are not followed) is not used." in printed
    assert "--attach shop=http://127.0.0.1:3000" in printed


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (InitOptions(["shop"], from_curl=["curl http://a/x", "curl http://b/x"]), "a workload has one address"),
        (
            InitOptions(["shop"], from_curl=["curl http://a/x"], openapi="o"),
            "--openapi and --from-curl are two sources",
        ),
        (InitOptions(["shop"], har=Path("x"), full=True), "--har writes bakeoff.toml: leave --full out"),
        (InitOptions(["shop"], har=Path("x"), probe="http://127.0.0.1:1"), "--har makes a session"),
    ],
)
def test_sources_that_exclude_one_another_are_refused(folder: Path, options: InitOptions, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make_project(options)

    assert list(folder.iterdir()) == []
