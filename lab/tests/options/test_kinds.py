"""Kinds of values: what they read, and what they refuse."""

import pytest

from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError
from bakeoff.options import kinds
from bakeoff.options.kinds import Pins, ValueKind

USERS = kinds.several(kinds.whole(1, 100), "N,...", "write numbers")
PAIRS = kinds.assignments("A=B", "name=value")


@pytest.mark.parametrize(
    ("text", "pins"),
    [
        ("target=0-1,database=2,engine=3", {"target": (0, 1), "database": (2,), "engine": (3,)}),
        ("engine=0+2-3", {"engine": (0, 2, 3)}),
        (" target=1 , engine=1", {"target": (1,), "engine": (1,)}),
    ],
)
def test_pins(text: str, pins: Pins) -> None:
    assert kinds.PINS.read(text) == pins


@pytest.mark.parametrize(
    "text", ["", "target", "target=", "target=x", "web=1", "target=1,api=2", "target=0-", "target=2-1"]
)
def test_invalid_pins(text: str) -> None:
    with pytest.raises(UsageError, match="write target=0-1,database=2"):
        kinds.PINS.read(text)


@pytest.mark.parametrize(
    ("text", "words"), [("here", "is no IP address"), ("127.0.0.1", "is no address that"), ("::", "is no address that")]
)
def test_an_address_is_one_that_other_hosts_reach(text: str, words: str) -> None:
    assert kinds.ADDRESS.read("10.0.0.1") == "10.0.0.1"
    with pytest.raises(UsageError, match=words):
        kinds.ADDRESS.read(text)


def test_a_host_of_agents_is_named_once() -> None:
    with pytest.raises(UsageError, match="one is named twice"):
        kinds.AGENTS.read("ssh://one,ssh://one")


def test_a_cpu_stands_once_in_a_pin() -> None:
    assert kinds.PINS.read("target=1+0-1") == {"target": (0, 1)}


@pytest.mark.parametrize(("text", "size"), [("2G", 2 << 30), ("512m", 512 << 20), ("1.5G", 3 << 29)])
def test_memory(text: str, size: int) -> None:
    assert kinds.MEMORY.read(text) == size


@pytest.mark.parametrize("text", ["", "2", "2GB", "1K", "-1G", "0G"])
def test_invalid_memory(text: str) -> None:
    with pytest.raises(UsageError, match="write 512M or 2G"):
        kinds.MEMORY.read(text)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (kinds.whole(0), "7", 7),
        (kinds.number(0, 1), "0.25", 0.25),
        (kinds.duration(0), "100ms", 0.1),
        (kinds.choice("a", "b"), "b", "b"),
        (kinds.NAMES, ["a, b", "c"], ("a", "b", "c")),
        (USERS, "1, 64", (1, 64)),
        (USERS, [1, 64], (1, 64)),
        (PAIRS, ["a=b=c", "d=e"], {"a": "b=c", "d": "e"}),
        (kinds.TRANSPORT_MODE, "batch-1", "unary"),
        (kinds.TRANSPORT_MODE, "stream-1", "stream"),
        (kinds.KEY_PICK, "zipf:0.99", "zipf:0.99"),
    ],
)
def test_values_are_read_from_text_and_from_what_was_stored(kind: ValueKind[object], text: Json, value: Json) -> None:
    assert kind.read(text) == value
    assert kind.read(value) == value


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (kinds.whole(1, 9), "0", "is not a whole number from 1 to 9"),
        (kinds.whole(1), "1.5", "is not a whole number of at least 1"),
        (kinds.whole(1), True, "is not a whole number"),
        (kinds.number(0, 1), "nan", "is not a number from 0 to 1"),
        (kinds.number(0), "inf", "is not a number"),
        (kinds.number(0), "x", "is not a number of at least 0"),
        (kinds.duration(0.1), "0s", "is not a duration"),
        (kinds.choice("a", "b", "c"), "d", 'unknown value "d": use a, b or c'),
        (USERS, "1,101", '"1,101": write numbers'),
        (USERS, "", '"": write numbers'),
        (PAIRS, ["a="], '"a=": write name=value'),
        (kinds.TRANSPORT_MODE, "pigeon", 'unknown transport mode "pigeon"'),
        (kinds.KEY_PICK, "zipf:9", "zipf:9"),
    ],
)
def test_other_values_are_refused(kind: ValueKind[object], value: Json, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        kind.read(value)


@pytest.mark.parametrize(
    ("given", "limits", "words"),
    [
        ("1.5", {"target": 1.5}, "1.5"),
        (2.0, {"target": 2.0}, "2"),
        ({"database": 4}, {"database": 4.0}, "database=4"),
        ("target=2, database=4,engine=0.5", {"target": 2.0, "database": 4.0, "engine": 0.5}, None),
    ],
)
def test_a_limit_without_a_role_is_the_target_s(given: Json, limits: dict[str, float], words: str | None) -> None:
    assert kinds.CPUS_BY_ROLE.read(given) == limits
    assert kinds.CPUS_BY_ROLE.words(limits) == (words or "target=2,database=4,engine=0.5")
    assert kinds.CPUS_BY_ROLE.read(kinds.CPUS_BY_ROLE.words(limits)) == limits


@pytest.mark.parametrize("text", ["lab=2", "target=1,target=2", "target=0", "some", "1,2"])
def test_limits_of_no_role_or_size_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        kinds.CPUS_BY_ROLE.read(text)
