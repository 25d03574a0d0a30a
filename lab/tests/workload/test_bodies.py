"""Bodies that are no JSON: made as the vectors say, and refused on loading where they cannot be."""

import json

import pytest

from as_json import as_json
from bakeoff.documents.checked import first_problem
from bakeoff.errors import UsageError
from bakeoff.project import FORMATS, Project
from bakeoff.workload.bodies import BOUNDARY, CONTENT_TYPES, ENCODED, BodyError, encoded
from bakeoff.workload.features import needed_features
from bakeoff.workload.loader import Workload, load_workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import PlannedPhase

FILES = """\
version = 1
name = "files"
title = "Files"
database = "none"
[batch]
http = { method = "POST", path = "/all", expect = 200, open = "[", separator = ",", close = "]" }
[[operations]]
name = "upload"
weight = 1
body = "multipart"
message = '''{ "title": "${alphanumeric 6}",
"file": {"filename": "a.bin", "base64": "${alphanumeric 8}"} }'''
http = { method = "POST", path = "/files", expect = 201 }
effect = { kind = "put", document = "", members = ["title"], key = ["${user}"] }
[[operations]]
name = "search"
weight = 1
body = "form"
message = '{"q": "${choice a|b}", "page": ${integer 1 9}}'
http = { method = "POST", path = "/search", expect = 200 }
[[operations]]
name = "replace"
weight = 1
body = "binary"
message = "${alphanumeric 16}"
http = { method = "PUT", path = "/files/1", expect = 204, headers = { Content-Type = "image/png" } }
"""
ONE = PlannedPhase(name="one", virtual_users=1, iterations=1)
LOAD = Load("t", "http", "127.0.0.1", 1, "smoke", phases=[ONE])


def files(checkout: Project, old: str = "", new: str = "") -> Workload:
    folder = checkout.root / "contract" / "files"
    folder.mkdir(parents=True, exist_ok=True)
    assert old in FILES
    (folder / "workload.toml").write_text(FILES.replace(old, new, 1), "utf-8")
    return load_workload(checkout, "files")


def test_bodies_are_what_the_vectors_say() -> None:
    cases = json.loads((FORMATS / "vectors" / "rendering.json").read_text("utf-8"))["cases"]
    checked = 0
    for case in cases:
        for event in case["events"]:
            if "body" not in event:
                continue
            kind = case["plan"]["operations"][event["operation"]]["body"]
            message = event["message"]
            # A body keeps the text of a number, as a conformance case does.
            document = message if kind == "binary" else json.loads(message, parse_float=str)
            assert encoded(kind, document).decode("latin-1") == event["body"]
            checked += 1
    assert checked >= 9


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("form", ["a"]),
        ("form", {"a": {"b": 1}}),
        ("form", {"a": [["b"]]}),
        ("multipart", {"a": {"filename": "f"}}),
        ("multipart", {"a": {"text": "f"}}),
        ("multipart", {"a": {"content_type": "", "text": "f"}}),
        ("multipart", {"a": {"filename": "f", "text": "", "base64": ""}}),
        ("multipart", {"a": {"filename": "f", "base64": "A"}}),
        ("multipart", {"a": {"filename": "f", "text": "", "more": "1"}}),
        ("multipart", {"a": {"filename": "f", "text": "", "content_type": "a\r\nb: c"}}),
        ("binary", "AAA"),
    ],
)
def test_what_cannot_be_a_body_is_refused(kind: str, message: object) -> None:
    with pytest.raises(BodyError):
        encoded(kind, message)  # type: ignore[arg-type]


def test_the_plan_names_the_body_and_its_type(empty_checkout: Project) -> None:
    plan = as_json(compile_plan(files(empty_checkout), LOAD))
    assert first_problem(plan, FORMATS / "plan.schema.json") is None
    upload, search, replace = plan["operations"]
    assert [each["body"] for each in (upload, search, replace)] == ["multipart", "form", "binary"]
    assert upload["http"]["headers"] == {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    assert search["http"]["headers"] == {"content-type": "application/x-www-form-urlencoded"}
    assert replace["http"]["headers"] == {"content-type": "image/png"}
    assert replace["variants"] == [[{"slot": "alphanumeric", "length": 16}]]
    assert search["variants"][0][0] == '{"q":"'
    assert needed_features(files(empty_checkout), "http")["encoded-bodies"] == "upload"
    assert set(ENCODED) < set(CONTENT_TYPES)


def test_a_batch_of_such_bodies_is_refused(empty_checkout: Project) -> None:
    load = Load("t", "http", "127.0.0.1", 1, "smoke", phases=[ONE], batch=2)
    with pytest.raises(UsageError, match="upload has a multipart body, which no batch holds"):
        compile_plan(files(empty_checkout), load)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('"page": ${integer 1 9}', '"page": {"n": 1}', 19, 'search: body = "form": a form is a JSON object'),
        ('"filename": "a.bin", ', "", 11, 'upload: body = "multipart": parts are a JSON object'),
        ("${alphanumeric 8}", "${alphanumeric 7}", 11, 'upload: body = "multipart": parts are'),
        (
            "${alphanumeric 16}",
            "${alphanumeric 15}",
            25,
            'replace: body = "binary": a binary body is written in base64',
        ),
        ("${alphanumeric 16}", "${uuid}", 25, 'replace: body = "binary": base64 takes texts and ${alphanumeric N}'),
        ('body = "form"', 'body = "from"', 18, "from"),
        (
            'path = "/files", expect = 201',
            'path = "/files", expect = 201, headers = { content-type = "a/b" }',
            13,
            "upload: the content-type of a multipart body names its boundary: leave it out.",
        ),
        ('members = ["title"]', 'members = ["titel"]', 14, "members names titel"),
        (
            'expect = 204, headers = { Content-Type = "image/png" } }\n',
            'expect = 204 }\neffect = { kind = "put", document = "", key = ["1"] }\n',
            27,
            "replace: the document is a part of a JSON message, but the body is binary.",
        ),
    ],
)
def test_errors_name_line_and_operation(empty_checkout: Project, old: str, new: str, line: int, words: str) -> None:
    with pytest.raises(UsageError) as error:
        files(empty_checkout, old, new)
    assert words in error.value.message
    assert f"line {line}: " in error.value.message
