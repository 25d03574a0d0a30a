import json
from pathlib import Path
from typing import Any

import pytest

from bakeoff.conformance.case import Call, Frame, GrpcExpectation, Payload, Row
from bakeoff.conformance.vectors import VectorError, load_vectors
from bakeoff.errors import UsageError
from bakeoff.project import FORMATS

HTTP = {"expect": {"status": 200}}


@pytest.fixture
def schema() -> Path:
    return FORMATS / "vectors.schema.json"


def case(**fields: Any) -> dict[str, Any]:
    return {"name": "a-case", "rule": "a-rule", "profile": "core", "http": HTTP, **fields}


def write(folder: Path, *cases: dict[str, Any], name: str = "things.json", subject: str = "things") -> Path:
    (folder / name).write_text(json.dumps({"version": 1, "subject": subject, "cases": list(cases)}), "utf-8")
    return folder


def test_a_case_is_read_with_all_it_says(tmp_path: Path, schema: Path) -> None:
    body = {"parts": ["{", {"hex": "ff"}]}
    headers = {"Accept": None, "X-A": "1", "X-B": ["1", "2"]}
    http = {"method": "PUT", "headers": headers, "body": body, "expect": {"status": 400, "body": {"a": 1}}}
    grpc = {"stream": [{"json": {"a": 1}}, {"parts": [{"hex": "00"}]}], "expect": {"code": "OK", "replies": [1]}}
    rows = [{"key": ["k", {"$text": ["a-case/", {"repeat": "x", "times": 3}]}], "document": "{}"}]
    write(tmp_path, case(given=[{"b": 1}], http=http, grpc=grpc, rows=rows))

    (loaded,) = load_vectors(tmp_path, schema)

    assert (loaded.subject, loaded.call, loaded.given) == ("things", Call.SINGLE, ({"b": 1},))
    assert loaded.http is not None
    assert loaded.http.body == Payload(content=b"{\xff")
    assert loaded.http.headers == {"Accept": (), "X-A": ("1",), "X-B": ("1", "2")}
    assert loaded.grpc is not None
    assert loaded.grpc.payloads == (Payload({"a": 1}), Payload(content=b"\x00"))
    assert loaded.rows == (Row(("k", "a-case/xxx"), "{}"),)


def test_frames_are_read_as_they_go_over_the_wire(tmp_path: Path, schema: Path) -> None:
    frames = [{"json": {"a": 1}}, {"parts": ["x"], "flag": 1, "length": 9}, {"bytes": [{"hex": "00"}]}]
    expect = {"code": ["INTERNAL", "UNIMPLEMENTED"], "headers": {"grpc-accept-encoding": "identity"}}
    write(tmp_path, case(token=True, grpc={"headers": {"grpc-encoding": "gzip"}, "frames": frames, "expect": expect}))

    (loaded,) = load_vectors(tmp_path, schema)

    assert loaded.token
    assert loaded.grpc is not None
    assert loaded.grpc.headers == {"grpc-encoding": ("gzip",)}
    assert loaded.grpc.frames == (
        Frame({"a": 1}),
        Frame(content=b"x", flag=1, length=9),
        Frame(content=b"\x00", flag=None),
    )
    assert loaded.grpc.expect == GrpcExpectation(
        ("INTERNAL", "UNIMPLEMENTED"), headers={"grpc-accept-encoding": "identity"}
    )


def test_null_rows_are_no_rows_and_absent_rows_are_not_looked_at(tmp_path: Path, schema: Path) -> None:
    write(tmp_path, case(rows=None), case(name="other"))

    assert [loaded.rows for loaded in load_vectors(tmp_path, schema)] == [(), None]


def test_a_case_owns_keys_that_carry_its_name(tmp_path: Path, schema: Path) -> None:
    (loaded,) = load_vectors(write(tmp_path, case()), schema)

    assert loaded.owns(("Car", "a-case"))
    assert loaded.owns(("a-case/x", "1"))
    assert not loaded.owns(("Car", "a-case-too"))
    assert not loaded.owns(("Car", "not/a-case"))


def test_patterns_choose_by_name_and_by_subject(tmp_path: Path, schema: Path) -> None:
    write(tmp_path, case(name="one"), case(name="two"))
    write(tmp_path, case(name="three"), name="more.json", subject="more")

    def names(*patterns: str) -> list[str]:
        return [loaded.name for loaded in load_vectors(tmp_path, schema, patterns)]

    assert names() == ["three", "one", "two"]
    assert names("t*") == ["three", "one", "two"]
    assert names("more", "one") == ["three", "one"]
    with pytest.raises(UsageError, match=r'No conformance case matches "four".*more, things'):
        names("one", "four")


def test_an_empty_folder_proves_nothing(tmp_path: Path, schema: Path) -> None:
    with pytest.raises(VectorError, match="contains no vectors"):
        load_vectors(tmp_path, schema)


@pytest.mark.parametrize(
    ("cases", "complaint"),
    [
        ([], "things.json does not match the schema"),
        ([case(name="A")], r'case "A": cases\.0\.name'),
        ([case(), {"name": "b", "rule": "r"}], r'case "b": cases\.1'),
        ([case(http={"expect": {}})], r'case "a-case": cases\.0\.http'),
        ([case(rwos=None)], r'case "a-case".*rwos'),
        ([case(), case()], 'two cases are named "a-case"'),
        ([case(rows=[{"key": ["x"], "document": "{}"}])], r'case "a-case": rows: the key \["?\'?x'),
        ([case(call="batch", message={"a": 1})], 'case "a-case": message: a batch sends a list'),
        ([case(call="stream", message=[])], 'case "a-case": http: a stream has no HTTP side'),
        ([case(message={"$repeat": 1, "times": 2})], r'case "a-case": message: \$repeat'),
        ([case(given=[{"$text": 1}])], r'case "a-case": given: \$text'),
    ],
)
def test_errors_name_file_case_and_field(
    cases: list[dict[str, Any]], complaint: str, tmp_path: Path, schema: Path
) -> None:
    write(tmp_path, *cases)

    with pytest.raises(VectorError, match=complaint):
        load_vectors(tmp_path, schema)


@pytest.mark.parametrize("text", ["", "{", '{"version": 1, "version": 1}'])
def test_files_that_are_no_json(text: str, tmp_path: Path, schema: Path) -> None:
    (tmp_path / "broken.json").write_text(text, "utf-8")

    with pytest.raises(VectorError, match=r"broken\.json is not valid JSON"):
        load_vectors(tmp_path, schema)


def test_a_file_that_changed_is_read_again(tmp_path: Path, schema: Path) -> None:
    write(tmp_path, case())
    first = load_vectors(tmp_path, schema)
    assert load_vectors(tmp_path, schema) == first
    write(tmp_path, case(), case(name="another"))
    assert [each.name for each in load_vectors(tmp_path, schema)] == ["a-case", "another"]
