from typing import Any

import pytest

from bakeoff.conformance.vectors import ShorthandError, join_parts, write_out


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ({"a": [1, "x", None]}, {"a": [1, "x", None]}),
        ({"$text": ["a", {"repeat": "bc", "times": 3}, "d"]}, "abcbcbcd"),
        ([0, {"$repeat": {"a": 1}, "times": 2}, 3], [0, {"a": 1}, {"a": 1}, 3]),
        ([{"$repeat": {"$text": ["x"]}, "times": 2}], ["x", "x"]),
        ({"a": {"b": [{"$text": [{"repeat": "x", "times": 2}]}]}}, {"a": {"b": ["xx"]}}),
    ],
)
def test_shorthand_is_written_out(short: Any, long: Any) -> None:
    assert write_out(short) == long


@pytest.mark.parametrize(
    "short",
    [
        {"$text": "x"},
        {"$text": ["x"], "other": 1},
        {"$text": [{"hex": "00"}]},
        {"$repeat": 1, "times": 2},
        [{"$repeat": 1}],
        [{"$repeat": 1, "times": "2"}],
        [{"$repeat": 1, "times": 2, "other": 3}],
    ],
)
def test_shorthand_that_stands_for_nothing(short: Any) -> None:
    with pytest.raises(ShorthandError):
        write_out(short)


def test_parts_make_bytes() -> None:
    assert join_parts(["é", {"repeat": "ab", "times": 2}, {"hex": "ff00"}, {"hex": "01", "times": 3}]) == (
        b"\xc3\xa9abab\xff\x00\x01\x01\x01"
    )
    assert join_parts([]) == b""
