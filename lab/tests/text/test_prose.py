import pytest

from bakeoff.text.prose import listed


@pytest.mark.parametrize(
    ("names", "text"), [([], ""), (["A"], "A"), (["A", "B"], "A and B"), (["A", "B", "C"], "A, B and C")]
)
def test_listed(names: list[str], text: str) -> None:
    assert listed(names) == text
