import pytest
from json_reader import JsonError, Members, Number, read_json


def test_nothing_is_lost() -> None:
    document = read_json(r'{"a": 1.0, "a": [true, null, "\ud800"], "o": {}}')

    assert isinstance(document, Members)
    assert document.pairs[:2] == [("a", Number("1.0")), ("a", [True, None, "\ud800"])]
    assert (document.begin, document.end) == (0, 48)


def test_no_depth_is_too_deep() -> None:
    assert isinstance(read_json("[" * 100_000 + "]" * 100_000), list)


@pytest.mark.parametrize(
    "text",
    ["", " ", "[", "]", "[1,]", "[,1]", "[1 2]", "{", "{1:1}", '{"a"}', '{"a":}', '{"a":1,}', "{]", "[}", "1 1", "nul",
     "NaN", "01", "1.", ".5", "+1", "1e", "-", "'a'", '"\n"', r'"\x"', r'"\u12"', '"', "\ufeff1", "1,"],
)  # fmt: skip
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(JsonError):
        read_json(text)
