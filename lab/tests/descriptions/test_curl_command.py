"""curl commands as people paste them."""

import json
from pathlib import Path
from typing import Any

import pytest

from bakeoff.cli.curl_arguments import hit_arguments, without_option
from bakeoff.descriptions.curl_command import CurlCommand, curl_command
from bakeoff.descriptions.recorded import operation_of
from bakeoff.errors import UsageError

URL = "http://127.0.0.1:3000/items"


def sent(line: str) -> tuple[str, str, dict[str, str], bytes | None]:
    request = curl_command(line).request
    return request.method, request.url, dict(request.headers), request.body


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
TEXT = {"Content-Type": "text/plain"}
BROWSER = {"Cookie": "a=1; b=2", "User-Agent": "me", "Referer": "http://x"}
JSON = {"Content-Type": "application/json", "Accept": "application/json"}


@pytest.mark.parametrize(
    ("line", "method", "url", "headers", "body"),
    [
        (f"curl {URL}", "GET", URL, {}, None),
        ("curl localhost:8080", "GET", "http://localhost:8080", {}, None),
        (f"curl -XPUT {URL} -dx=1", "PUT", URL, FORM, b"x=1"),
        (f"curl -d a=1 --data b=2 {URL}", "POST", URL, FORM, b"a=1&b=2"),
        (f"curl -sSLd 'a=1' {URL}", "POST", URL, FORM, b"a=1"),
        (f"curl --json '{{\"a\": 1}}' {URL}", "POST", URL, JSON, b'{"a": 1}'),
        (f"curl {URL} -H'Content-Type: text/plain' --data-raw '@home'", "POST", URL, TEXT, b"@home"),
        (f"curl -G {URL} -d q=tea --data-urlencode 'n=a b&c'", "GET", f"{URL}?q=tea&n=a%20b%26c", {}, None),
        (f"curl -G '{URL}?x=1' -d q=tea", "GET", f"{URL}?x=1&q=tea", {}, None),
        (f"curl --url-query page=2 --url {URL}", "GET", f"{URL}?page=2", {}, None),
        (f"curl -I {URL}", "HEAD", URL, {}, None),
        (f"curl -u ada:secret {URL}", "GET", URL, {"Authorization": "Basic YWRhOnNlY3JldA=="}, None),
        ("curl http://ada:secret@h/x", "GET", "http://h/x", {"Authorization": "Basic YWRhOnNlY3JldA=="}, None),
        (f"curl --oauth2-bearer t {URL}", "GET", URL, {"Authorization": "Bearer t"}, None),
        (f"curl -b 'a=1; b=2' -A me -e http://x {URL}", "GET", URL, BROWSER, None),
        (f"curl \\\n  -H 'X-A: 1' \\\n  {URL}", "GET", URL, {"X-A": "1"}, None),
        (f"curl {URL} --data-raw $'it\\'s \\u00e9\\n'", "POST", URL, FORM, "it's é\n".encode()),
        (f"curl -H 'Accept:' -H 'X-Empty;' {URL}", "GET", URL, {"X-Empty": ""}, None),
        (f"curl --request=DELETE {URL}", "DELETE", URL, {}, None),
        (f"curl '{URL}?q=é x#part'", "GET", f"{URL}?q=%C3%A9%20x", {}, None),
    ],
)  # fmt: skip
def test_requests_are_those_that_curl_sends(
    line: str, method: str, url: str, headers: dict[str, str], body: bytes | None
) -> None:
    assert sent(line) == (method, url, headers, body)


def test_bodies_come_from_files(tmp_path: Path) -> None:
    (tmp_path / "body.txt").write_bytes(b"a\r\nb\xff")

    bodies = {
        option: curl_command(f"curl {option} {URL}", tmp_path).request.body
        for option in ("-d @body.txt", "--data-binary @body.txt", "-T body.txt")
    }

    assert list(bodies.values()) == [b"ab\xff", b"a\r\nb\xff", b"a\r\nb\xff"]
    assert curl_command(f"curl -T body.txt {URL}", tmp_path).request.method == "PUT"
    with pytest.raises(UsageError, match=r"--from-curl: none.txt cannot be read: No such file"):
        curl_command(f"curl -d @none.txt {URL}", tmp_path)


def test_parts_of_a_form_are_texts_and_files(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"png")
    files = "-F 'file=@a.png;type=image/x-own;filename=b.png' -F 'file=@a.png'"
    line = f"curl -F 'title=Tea' {files} -F 'n=<a.png' -F 'meta={{}};type=application/json' {URL}"

    operation = operation_of("upload", curl_command(line, tmp_path).request, 201)

    assert operation["body"] == "multipart"
    first = {"filename": "b.png", "content_type": "image/x-own", "base64": "cG5n"}
    second = {"filename": "a.png", "content_type": "image/png", "base64": "cG5n"}
    meta = {"content_type": "application/json", "text": "{}"}
    expected = {"title": "Tea", "file": [first, second], "n": "png", "meta": meta}
    assert json.loads(str(operation["message"])) == expected


def test_options_that_are_not_used_are_named() -> None:
    command = curl_command(f"curl -L -x http://proxy --ntlm --krb auth {URL} http://other --next {URL}")

    assert command.unused == [
        "-L (redirects are not followed)",
        "-x http://proxy (no proxy is used)",
        "--ntlm",
        "--krb auth",
        "http://other (a second URL)",
        f"--next {URL} (one command at a time)",
    ]
    assert curl_command(f"curl -sS -o x -w '%{{http_code}}' --compressed --retry 3 {URL}").unused == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("wget http://a", "takes a command that starts with curl, not 'wget http://a'"),
        ("curl -X", "-X has no value"),
        ("curl -H 'X: 1'", "the command has no URL"),
        ("curl 'http://a", "No closing quotation in the command"),
        ("", "starts with curl"),
    ],
)
def test_what_is_no_command_is_refused(line: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        curl_command(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"curl {URL}?a=1", {"http": {"method": "GET", "path": "/items?a=1", "expect": 200}}),
        (
            f"curl --json '{{\"a\": \"${{x}}\"}}' -H 'X-A: 1' {URL}",
            {
                "message": '{"a":"\\u0024{x}"}',
                "http": {
                    "method": "POST",
                    "path": "/items",
                    "expect": 200,
                    "headers": {"X-A": "1", "Accept": "application/json"},
                },
            },
        ),
        (
            f"curl -d 'a=1&b=x+y' {URL}",
            {
                "body": "form",
                "message": '{"a":"1","b":"x y"}',
                "http": {"method": "POST", "path": "/items", "expect": 200},
            },
        ),
        (
            f"curl -d 'a=1&a=2' {URL}",
            {
                "body": "text",
                "message": "a=1&a=2",
                "http": {"method": "POST", "path": "/items", "expect": 200, "headers": FORM},
            },
        ),
    ],
)
def test_a_request_is_an_operation(line: str, expected: dict[str, Any]) -> None:
    assert operation_of("x", curl_command(line).request, 200) == {"name": "x", **expected}


def test_hit_sends_the_same() -> None:
    arguments = hit_arguments(curl_command(f"curl -k -H 'X-A: 1' --json '{{}}' -m 5 {URL}"))

    place = arguments[arguments.index("--data") + 1]
    assert Path(place.removeprefix("@")).read_bytes() == b"{}"
    assert [each for each in arguments if each != place] == [
        *(URL, "--method", "POST", "--data", "--header", "X-A: 1", "--header", "Accept: application/json"),
        *("--type", "application/json", "--insecure", "--timeout", "5s"),
    ]


def test_the_rest_of_the_options_stays() -> None:
    given = ["-u", "8", "--from-curl", "curl x", "-d", "5s"]

    assert without_option(given, "--from-curl") == ["-u", "8", "-d", "5s"]
    assert without_option(["--from-curl=curl x", "-u", "8"], "--from-curl") == ["-u", "8"]


def test_nothing_else_is_insecure() -> None:
    assert curl_command(f"curl {URL}") == CurlCommand(curl_command(f"curl {URL}").request, resolve=[], unused=[])
