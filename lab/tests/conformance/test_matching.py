from typing import Any

import pytest

from bakeoff.conformance.case import GrpcExpectation, HttpExpectation, Row
from bakeoff.conformance.exchange import GrpcReply, HttpReply
from bakeoff.conformance.matching import (
    compare_grpc,
    compare_headers,
    compare_http,
    compare_json,
    compare_rows,
    shown,
)

UUID = "6f1d2c3b-4a59-4e68-8b7a-9c0d1e2f3a4b"


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (None, None),
        (1, 1.0),
        ([1, {"a": [True]}], [1, {"a": [True]}]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"$any": "uuid"}, UUID),
        ({"$any": "uuid"}, UUID.upper()),
        ({"$any": "integer"}, 0),
        ({"$any": "string"}, ""),
        ({"$includes": {"a": 1}}, {"a": 1, "b": 2}),
        ({"$includes": [1, {"a": 1}]}, [{"a": 1}, 2, 1]),
        ({"$includes": {"a": {"$includes": [3]}}}, {"a": [1, 3], "b": 2}),
    ],
)
def test_equal_documents_do_not_differ(expected: Any, actual: Any) -> None:
    assert compare_json("body", expected, actual) == []


@pytest.mark.parametrize(
    ("expected", "actual", "difference"),
    [
        (1, 2, "body: expected 1, got 2"),
        (1, True, "body: expected 1, got true"),
        (False, 0, "body: expected false, got 0"),
        ("1", 1, 'body: expected "1", got 1'),
        (None, False, "body: expected null, got false"),
        ({"a": 1}, {}, "body.a: expected 1, but it is absent"),
        ({}, {"a": 1}, "body.a: not expected, got 1"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, "body.a[0].b: expected 1, got 2"),
        ([1], [1, 2], "body: expected 1 elements, got 2: [1, 2]"),
        ({}, [], "body: expected {}, got []"),
        ({"$any": "uuid"}, UUID.replace("-", ""), f'body: expected any uuid, got "{UUID.replace("-", "")}"'),
        ({"$any": "uuid"}, 5, "body: expected any uuid, got 5"),
        ({"$any": "integer"}, True, "body: expected any integer, got true"),
        ({"$any": "integer"}, 1.5, "body: expected any integer, got 1.5"),
        ({"$any": "string"}, None, "body: expected any string, got null"),
        ({"$includes": {"a": 1}}, {"b": 2}, "body.a: expected 1, but it is absent"),
        ({"$includes": [1]}, [2], "body: expected 1 among its elements, got [2]"),
        ({"$includes": [1]}, {}, "body: expected to include [1], got {}"),
    ],
)
def test_a_difference_says_where_and_what(expected: Any, actual: Any, difference: str) -> None:
    assert compare_json("body", expected, actual) == [difference]


def test_every_difference_is_named() -> None:
    assert compare_json("body", {"a": 1, "b": [1, 2]}, {"a": 2, "b": [3, 4]}) == [
        "body.a: expected 1, got 2",
        "body.b[0]: expected 1, got 3",
        "body.b[1]: expected 2, got 4",
    ]


def test_an_unknown_kind_is_an_error_of_the_vector() -> None:
    with pytest.raises(ValueError, match="float"):
        compare_json("body", {"$any": "float"}, 1.5)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("POST", "POST"),
        ("post", "GET, POST"),
        ("GET, HEAD", "HEAD,GET,OPTIONS"),
        ("application/json", "Application/JSON; charset=utf-8"),
    ],
)
def test_a_header_holds_the_elements(expected: str, actual: str) -> None:
    assert compare_headers({"Allow": expected}, {"allow": actual}) == []


def test_headers_that_differ_or_are_missing() -> None:
    expected = {"Allow": "POST", "Content-Type": "application/json", "Retry-After": "1"}

    assert compare_headers(expected, {"allow": "GET", "content-type": "application/jsonx"}) == [
        "header Allow: expected POST, got GET",
        "header Content-Type: expected application/json, got application/jsonx",
        "header Retry-After: expected 1, but there is none",
    ]


def test_a_header_that_must_not_be_there() -> None:
    expected = {"X-Internal": None}

    assert compare_headers(expected, {"x-other": "1"}) == []
    assert compare_headers(expected, {"x-internal": "1"}) == ["header X-Internal: expected none, got 1"]


def http(status: int = 200, body: bytes = b'{"a":1}') -> HttpReply:
    return HttpReply(status, {"content-type": "application/json"}, body)


def test_http_replies() -> None:
    expected = HttpExpectation(200, {}, {"a": 1})

    assert compare_http(expected, http()) == []
    assert compare_http(expected, http(500)) == ["status: expected 200, got 500", 'body: got "{\\"a\\":1}"']
    assert compare_http(expected, http(body=b"{")) == ['body: expected JSON, got "{"']
    assert compare_http(expected, http(body=b"\xff")) == ['body: expected JSON, got "\\\\xff"']
    assert compare_http(expected, http(body=b'{"a":2}')) == ["body.a: expected 1, got 2"]


def test_a_body_that_is_not_expected_is_shown_only_when_the_status_is_wrong() -> None:
    expected = HttpExpectation(200, {}, None)

    assert compare_http(expected, http()) == []
    assert compare_http(expected, http(400, b"why")) == ["status: expected 200, got 400", 'body: got "why"']


def test_of_a_reply_with_another_status_the_first_bytes_are_shown_without_secrets() -> None:
    expected = HttpExpectation(201, {}, {"id": {"$any": "integer"}})

    differences = compare_http(expected, http(422, b'{"error": "name is too long", "token": "t-1234"}'))
    assert differences == [
        "status: expected 201, got 422",
        'body: got "{\\"error\\": \\"name is too long\\", \\"token\\": ***}"',
    ]
    assert compare_http(expected, http(500, b"x" * 201))[1] == f'body: got "{"x" * 200}…"'


def grpc(code: str = "OK", **expected: Any) -> GrpcExpectation:
    return GrpcExpectation((code,), **expected)


def replied(code: str, message: str) -> GrpcReply:
    return GrpcReply(code, message, ())


def test_grpc_replies() -> None:
    assert compare_grpc(grpc(body={"a": 1}), replied("OK", ""), [{"a": 1}]) == []
    assert compare_grpc(grpc(), replied("OK", "whatever"), [{"a": 1}]) == []
    assert compare_grpc(grpc(), replied("INTERNAL", "oops"), []) == ['code: expected OK, got INTERNAL ("oops")']
    assert compare_grpc(grpc(body={"a": 1}), replied("OK", ""), []) == ["replies: expected one, got 0"]
    assert compare_grpc(grpc(body={"a": 1}), replied("OK", ""), [{"a": 1}, {"a": 1}]) == [
        "replies: expected one, got 2"
    ]
    assert compare_grpc(grpc(body={"a": 1}), replied("OK", ""), [{"a": 2}]) == ["body.a: expected 1, got 2"]


def test_grpc_statuses() -> None:
    expected = grpc("INVALID_ARGUMENT", message="a: required")

    assert compare_grpc(expected, replied("INVALID_ARGUMENT", "a: required"), []) == []
    assert compare_grpc(expected, replied("INVALID_ARGUMENT", "b"), []) == ['message: expected "a: required", got "b"']
    assert compare_grpc(expected, replied("OK", ""), []) == ["code: expected INVALID_ARGUMENT, got OK"]


def test_any_of_the_statuses_will_do() -> None:
    expected = GrpcExpectation(("INTERNAL", "UNIMPLEMENTED"))

    assert compare_grpc(expected, replied("UNIMPLEMENTED", ""), []) == []
    assert compare_grpc(expected, replied("OK", ""), []) == ["code: expected INTERNAL or UNIMPLEMENTED, got OK"]


def test_headers_of_a_call_and_its_connection_count() -> None:
    expected = GrpcExpectation(("OK",), headers={"Grpc-Accept-Encoding": "identity"})

    assert compare_grpc(expected, GrpcReply("OK", "", (), {"grpc-accept-encoding": "gzip,identity"}), []) == []
    assert compare_grpc(expected, GrpcReply("OK", "", (), {}, connection_lasted=False), []) == [
        "header Grpc-Accept-Encoding: expected identity, but there is none",
        "connection: expected to serve other calls afterwards, but it did not",
    ]


def test_replies_of_a_stream() -> None:
    expected = grpc(replies=(1, 2))

    assert compare_grpc(expected, replied("OK", ""), [1, 2]) == []
    assert compare_grpc(expected, replied("OK", ""), [2, 1]) == [
        "replies[0]: expected 1, got 2",
        "replies[1]: expected 2, got 1",
    ]
    assert compare_grpc(expected, replied("OK", ""), [1]) == ["replies: expected 2 elements, got 1: [1]"]


def test_rows() -> None:
    expected = [Row(("Car", "1"), '{"a": 1}'), Row(("Car", "2"), "{}")]

    assert compare_rows(expected, list(reversed(expected))) == []
    assert compare_rows(expected, [Row(("Car", "1"), '{"a": 1.0}'), Row(("Car", "3"), "{}")]) == [
        'row ["Car", "1"]: expected "{\\"a\\": 1}", stored "{\\"a\\": 1.0}"',
        'row ["Car", "2"]: expected, but not stored',
        'row ["Car", "3"]: stored as "{}", but no such row was expected',
    ]


def test_nothing_may_be_stored_where_no_rows_are_expected() -> None:
    assert compare_rows([], []) == []
    assert len(compare_rows([], [Row(("Car", "1"), "{}")])) == 1


def test_long_values_are_cut() -> None:
    assert shown("x" * 1000).endswith("… (1002 characters)")
    assert len(shown("x" * 1000)) < 400
