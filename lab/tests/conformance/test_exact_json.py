import pytest

from bakeoff.conformance import exact_json


@pytest.mark.parametrize("text", ["0.10", "1e400", "-0", "12345678901234567890", "[1.0,2E+3]", '{"a":[true,null,"x"]}'])
def test_what_is_read_is_written_again(text: str) -> None:
    assert exact_json.dumps(exact_json.loads(text)) == text.encode()


def test_numbers_are_numbers_too() -> None:
    assert exact_json.loads("[1, 2.5]") == [1, 2.5]


def test_texts_are_utf_8_and_lone_surrogates_escapes() -> None:
    assert exact_json.dumps({"é": "😀\udc00\n"}) == '{"é":"😀\\udc00\\n"}'.encode()


@pytest.mark.parametrize("text", ["", "{", '{"a": 1, "a": 2}', '[{"o": {"b": 1, "b": 1}}]'])
def test_broken_documents(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|twice"):
        exact_json.loads(text)
