"""Compares what came back with what a case expects. Pure; every function returns differences, none when all is well.

In the core profile a message `<path of the field>: <words>` is compared by its path.
"""

import json
from collections.abc import Mapping, Sequence
from uuid import UUID

from bakeoff.conformance.case import Differences, GrpcExpectation, HttpExpectation, Profile, Row
from bakeoff.conformance.exchange import GrpcReply, HttpReply
from bakeoff.documents.checked import Json
from bakeoff.text.redaction import redacted

_SHOWN_CHARACTERS = 300
_SHOWN_BYTES = 200
_CONNECTION_LOST = "connection: expected to serve other calls afterwards, but it did not"


def http_differences(expected: HttpExpectation, reply: HttpReply) -> Differences:
    """In both profiles."""
    return Differences(*(tuple(compare_http(expected, reply, profile)) for profile in (Profile.STRICT, Profile.CORE)))


def grpc_differences(expected: GrpcExpectation, reply: GrpcReply, replies: Sequence[Json]) -> Differences:
    """In both profiles; `replies` are decoded to JSON."""
    profiles = (Profile.STRICT, Profile.CORE)
    return Differences(*(tuple(compare_grpc(expected, reply, replies, profile)) for profile in profiles))


def compare_http(expected: HttpExpectation, reply: HttpReply, profile: Profile = Profile.STRICT) -> list[str]:
    """Status, headers and JSON body; of a reply with another status the body, which gives the reason, as it is."""
    differences = compare_headers(expected.headers, reply.headers)
    if reply.status != expected.status:
        differences.insert(0, f"status: expected {expected.status}, got {reply.status}")
    if expected.body is None or reply.status != expected.status:
        return [*differences, f"body: got {shown(_text_of(reply))}"] if differences else []
    try:
        body = json.loads(reply.body)
    except (ValueError, RecursionError):
        return [*differences, f"body: expected JSON, got {shown(_text_of(reply))}"]
    return differences + compare_json("body", expected.body, body, profile)


def _text_of(reply: HttpReply) -> str:
    """How the body begins, without secrets."""
    text = redacted(reply.body[:_SHOWN_BYTES].decode("utf-8", "backslashreplace"))
    return f"{text}…" if len(reply.body) > _SHOWN_BYTES else text


def compare_headers(expected: Mapping[str, str | None], actual: Mapping[str, str]) -> list[str]:
    """Each expected comma-separated element must be among the header's; case and parameters do not count. A header that
    is expected as None must not be there."""
    differences = []
    for name, value in expected.items():
        got = actual.get(name.lower())
        if value is None:
            if got is not None:
                differences.append(f"header {name}: expected none, got {got}")
        elif got is None:
            differences.append(f"header {name}: expected {value}, but there is none")
        elif not _elements(value) <= _elements(got):
            differences.append(f"header {name}: expected {value}, got {got}")
    return differences


def _elements(value: str) -> set[str]:
    return {element.split(";")[0].strip().lower() for element in value.split(",")}


def compare_grpc(
    expected: GrpcExpectation, reply: GrpcReply, replies: Sequence[Json], profile: Profile = Profile.STRICT
) -> list[str]:
    """Status code, status message, headers and replies; `replies` are decoded to JSON."""
    differences: list[str] = []
    code, message = reply.code, reply.message
    if profile is Profile.CORE and code in expected.core_code:
        return differences if reply.connection_lasted else [_CONNECTION_LOST]
    if code not in expected.code:
        why = f" ({shown(message)})" if message else ""
        differences.append(f"code: expected {' or '.join(expected.code)}, got {code}{why}")
    elif expected.message is not None and not _is_text(expected.message, message, profile):
        differences.append(f"message: expected {shown(expected.message)}, got {shown(message)}")
    differences += compare_headers(expected.headers, reply.headers)
    if not reply.connection_lasted:
        differences.append(_CONNECTION_LOST)
    if expected.body is not None:
        if len(replies) == 1:
            differences += compare_json("body", expected.body, replies[0], profile)
        elif code == "OK" or replies:
            differences.append(f"replies: expected one, got {len(replies)}")
    if expected.replies is not None:
        differences += compare_json("replies", list(expected.replies), list(replies), profile)
    return differences


def compare_rows(expected: Sequence[Row], stored: Sequence[Row]) -> list[str]:
    """The rows of a case, all of them, in any order."""
    wanted = {row.key: row.document for row in expected}
    found = {row.key: row.document for row in stored}
    differences = [f"row {shown(list(key))}: expected, but not stored" for key in wanted.keys() - found.keys()]
    differences += [
        f"row {shown(list(key))}: stored as {shown(found[key])}, but no such row was expected"
        for key in found.keys() - wanted.keys()
    ]
    differences += [
        f"row {shown(list(key))}: expected {shown(wanted[key])}, stored {shown(found[key])}"
        for key in wanted.keys() & found.keys()
        if wanted[key] != found[key]
    ]
    return sorted(differences)


def compare_json(path: str, expected: Json, actual: Json, profile: Profile = Profile.STRICT) -> list[str]:
    """Equality of JSON values, with the matchers {"$any": KIND} and {"$includes": VALUE} in the expectation."""
    if isinstance(expected, dict) and expected.keys() == {"$any"}:
        kind = expected["$any"]
        return [] if _is_kind(kind, actual) else [f"{path}: expected any {kind}, got {shown(actual)}"]
    if isinstance(expected, dict) and expected.keys() == {"$includes"}:
        return _compare_included(path, expected["$includes"], actual, profile)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _compare_members(path, expected, actual, profile, is_exact=True)
    if isinstance(expected, list) and isinstance(actual, list):
        return _compare_elements(path, expected, actual, profile)
    return [] if _is_equal(expected, actual, profile) else [f"{path}: expected {shown(expected)}, got {shown(actual)}"]


def _compare_included(path: str, expected: Json, actual: Json, profile: Profile) -> list[str]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _compare_members(path, expected, actual, profile, is_exact=False)
    if isinstance(expected, list) and isinstance(actual, list):
        return [
            f"{path}: expected {shown(element)} among its elements, got {shown(actual)}"
            for element in expected
            if all(compare_json(path, element, candidate, profile) for candidate in actual)
        ]
    return [f"{path}: expected to include {shown(expected)}, got {shown(actual)}"]


def _compare_members(
    path: str, expected: Mapping[str, Json], actual: Mapping[str, Json], profile: Profile, *, is_exact: bool
) -> list[str]:
    differences = []
    for name, value in expected.items():
        if name in actual:
            differences += compare_json(f"{path}.{name}", value, actual[name], profile)
        else:
            differences.append(f"{path}.{name}: expected {shown(value)}, but it is absent")
    if is_exact:
        differences += [
            f"{path}.{name}: not expected, got {shown(value)}" for name, value in actual.items() if name not in expected
        ]
    return differences


def _compare_elements(path: str, expected: Sequence[Json], actual: Sequence[Json], profile: Profile) -> list[str]:
    if len(expected) != len(actual):
        return [f"{path}: expected {len(expected)} elements, got {len(actual)}: {shown(actual)}"]
    return [
        difference
        for index, (wanted, got) in enumerate(zip(expected, actual, strict=True))
        for difference in compare_json(f"{path}[{index}]", wanted, got, profile)
    ]


def _is_equal(expected: Json, actual: Json, profile: Profile) -> bool:
    """In JSON, true is not 1."""
    if isinstance(expected, str) and isinstance(actual, str):
        return _is_text(expected, actual, profile)
    return isinstance(expected, bool) == isinstance(actual, bool) and bool(expected == actual)


def _is_text(expected: str, actual: str, profile: Profile) -> bool:
    path, separator, _words = expected.rpartition(": ")
    if profile is Profile.CORE and separator:
        return actual.startswith(path + separator)
    return expected == actual


def _is_kind(kind: str, value: Json) -> bool:
    match kind:
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "uuid":
            return isinstance(value, str) and _is_uuid(value)
    raise ValueError(f'$any knows "uuid", "integer" and "string", not {kind!r}')


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False


def shown(value: Json) -> str:
    """The value as JSON, cut where a person would stop reading."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    return f"{text[:_SHOWN_CHARACTERS]}… ({len(text)} characters)"
