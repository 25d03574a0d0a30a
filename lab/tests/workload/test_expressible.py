"""Imported operations that cannot be rendered are left out, and those that need them."""

from bakeoff.descriptions.imported import ImportedApi, ImportedOperation, Life, Table
from bakeoff.workload.expressible import expressible

GET: Table = {"method": "GET", "path": "/ok", "expect": 200}


def test_what_cannot_be_rendered_is_left_out_with_its_reason() -> None:
    operations = [
        ImportedOperation("fine", GET, message='{"a":${integer 1 9}}'),
        ImportedOperation("slot", GET, message='{"a":${whole 1 9}}'),
        ImportedOperation("range", GET, message='{"a":${decimal 0.00 99999999.00}}'),
        ImportedOperation("json", GET, message='{"a":}'),
        ImportedOperation("path", {**GET, "path": "/a b"}),
        ImportedOperation("create", {**GET, "headers": {"X": "${nothing}"}}, creates="thing"),
        ImportedOperation("read", GET, needs="thing"),
    ]

    api = expressible(ImportedApi("t", "rest", operations, lives=[Life("thing", 404, True)], left_out=["x"]))

    assert [each.name for each in api.operations] == ["fine"]
    assert api.lives == []
    reasons = dict(line.split(" is left out: ") for line in api.left_out[1:])
    assert reasons.keys() == {"slot", "range", "json", "path", "create", "read"}
    assert "more than 4,294,967,296 values" in reasons["range"]
    assert reasons["path"] == "its path holds ' ', which no request line can carry: write %20."
    assert reasons["read"] == "no request creates the thing."
