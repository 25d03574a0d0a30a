"""A user's requests after given replies: the vectors equal the reference, and reach every case."""

import json

import reference_flows

from bakeoff.project import FORMATS

VECTORS = FORMATS / "vectors" / "flows.json"


def test_the_vectors_are_what_the_reference_says() -> None:
    assert VECTORS.read_text(encoding="utf-8") == reference_flows.text(), (
        "write the file again with: python reference_flows.py"
    )


def test_the_vectors_reach_what_replies_lead_to() -> None:
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
    operations = [operation for case in cases for operation in case["plan"]["operations"]]
    assert any(operation.get("login") for operation in operations)
    assert {operation.get("body") for operation in operations} == {None, "form", "multipart", "binary"}
    places = [place for operation in operations for place in operation["http"]["capture"].values()]
    for kind in ("/*", "header:location", "header:location/", "/hits/0/id", "optional:/", "optional:query:"):
        assert any(kind in place for place in places)
    for case in cases:
        sent = [turn["request"]["operation"] for turn in case["turns"]]
        steps = {step for session in case["plan"].get("sessions", []) for step in session["steps"]}
        weighted = {index for index, each in enumerate(case["plan"]["operations"]) if each["weight"]}
        assert steps | weighted <= set(sent), case["name"]
    failed = [turn for case in cases for turn in case["turns"] if turn["reply"]["status"] >= 400]
    assert len(failed) >= 6
