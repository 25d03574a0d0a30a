"""The two profiles of a contract: what core compares, and what a target has proved."""

from dataclasses import replace
from typing import Any

import pytest

from bakeoff.conformance.case import GrpcExpectation, HttpExpectation, Profile
from bakeoff.conformance.exchange import GrpcReply, HttpReply
from bakeoff.conformance.matching import grpc_differences, http_differences
from bakeoff.conformance.runner import CaseResult, ConformanceResult
from bakeoff.conformance.text import described, differences, summary

PATH = "eventBody.entities[0].entityId"
STRICT_ONLY = CaseResult("words", "s", "r", ("message: expected x, got y",))
BROKEN = CaseResult("status", "s", "r", ("status: expected 400, got 200",), Profile.CORE, ("status: …",))
PASSED = CaseResult("fine", "s", "r", ())


def http(message: str, *, status: int = 400) -> tuple[bool, bool]:
    """Whether a reply is exact, and whether core accepts it."""
    expected = HttpExpectation(400, {}, {"success": False, "message": f"{PATH}: required"})
    body = f'{{"success": false, "message": "{message}"}}'.encode()
    found = http_differences(expected, HttpReply(status, {}, body))
    return found.strict == (), found.core == ()


@pytest.mark.parametrize(
    ("message", "exact", "core"),
    [
        (f"{PATH}: required", True, True),
        (f"{PATH}: is missing", False, True),
        (f"{PATH}x: required", False, False),
        ("eventBody.entities: required", False, False),
        ("required", False, False),
    ],
)
def test_core_compares_the_path_of_a_message(message: str, exact: bool, core: bool) -> None:
    assert http(message) == (exact, core)


def test_core_compares_the_status() -> None:
    assert http(f"{PATH}: required", status=200) == (False, False)


def test_a_text_without_a_path_is_compared_exactly() -> None:
    expected = HttpExpectation(200, {}, {"message": "Event processed successfully"})
    assert http_differences(expected, HttpReply(200, {}, b'{"message": "done"}')).core != ()


def grpc(code: str, message: str, **expected: Any) -> tuple[bool, bool]:
    rule = replace(GrpcExpectation(("INVALID_ARGUMENT",), message="body: not a valid message"), **expected)
    found = grpc_differences(rule, GrpcReply(code, message, (), {}), [])
    return found.strict == (), found.core == ()


def test_core_accepts_what_a_library_answers_by_itself_only_where_the_case_names_it() -> None:
    assert grpc("INTERNAL", "failed to unmarshal", core_code=("INTERNAL",)) == (False, True)
    assert grpc("INTERNAL", "failed to unmarshal") == (False, False)
    assert grpc("OK", "", core_code=("INTERNAL",)) == (False, False)


@pytest.mark.parametrize(
    ("results", "proved"),
    [
        ((PASSED,), Profile.STRICT),
        ((PASSED, STRICT_ONLY), Profile.CORE),
        ((PASSED, STRICT_ONLY, BROKEN), None),
        ((), None),
        # A strict case may fail in whatever way.
        ((PASSED, replace(BROKEN, profile=Profile.STRICT)), Profile.CORE),
    ],
)
def test_what_is_proved(results: tuple[CaseResult, ...], proved: Profile | None) -> None:
    assert ConformanceResult("rest", results, 0).proved == proved


def test_only_what_breaks_the_profile_is_shown() -> None:
    result = ConformanceResult("rest", (PASSED, STRICT_ONLY, BROKEN), 0)
    core = list(differences({"t": result}, {"t": Profile.CORE}))
    strict = list(differences({"t": result}, {"t": Profile.STRICT}))
    assert [line for line in core if "s/" in line] == ["t: s/status (rule r)"]
    assert [line for line in strict if "s/" in line] == ["t: s/words (rule r)", "t: s/status (rule r)"]
    assert summary(result, Profile.CORE) == "1 of 3 conformance cases failed (status). The first: status: …."
    assert described("t", result, Profile.CORE)["proved"] is None
