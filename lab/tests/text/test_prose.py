import pytest

from bakeoff.text.prose import apart, listed, merged, rounds_in_words, words_of


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["A"], "A"),
        (["A", "B"], "A and B"),
        (["A", "B", "C"], "A, B and C"),
        (["A, with a", "B"], "A, with a; and B"),
        (["A", "B, with b", "3 others"], "A; B, with b; and 3 others"),
    ],
)
def test_listed(names: list[str], text: str) -> None:
    assert listed(names) == text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([2], "round 2"),
        ([1, 5], "rounds 1 and 5"),
        ([4, 5], "rounds 4 and 5"),
        ([1, 2, 4, 5], "rounds 1, 2, 4 and 5"),
        ([1, 2, 3, 5], "rounds 1–3 and 5"),
        ([*range(1, 11)], "rounds 1–10"),
    ],
)
def test_rounds_are_ranges_where_three_follow_each_other(numbers: list[int], text: str) -> None:
    assert rounds_in_words(numbers) == text


@pytest.mark.parametrize(
    ("sentences", "text"),
    [
        (["They used 15% of a core.", "They used 12% of a core."], "They used 12% to 15% of a core."),
        (["At 64 users p99 was 2,055 ms.", "At 64 users p99 was 950 ms."], "At 64 users p99 was 950 to 2,055 ms."),
        (["They used 1.0% of it.", "They used 1.0% of it."], "They used 1.0% of it."),
        (["It failed.", "They failed."], None),
        # What is no figure is a word.
        (["Read a/log-1.txt.", "Read a/log-2.txt."], None),
        (["Others used 15%.", "Others used 15% and it 3%."], None),
    ],
)
def test_sentences_that_differ_in_figures_are_one(sentences: list[str], text: str | None) -> None:
    assert merged(sentences) == text


def test_sentences_that_differ_in_figures_are_taken_apart() -> None:
    sentences = ["Used 1.2% to 1.6% of a core; above 1% it disturbs.", "Used 1.1% of a core; above 1% it disturbs."]
    assert len({words_of(each) for each in sentences}) == 1
    assert apart(sentences) == ("Used … of a core; above 1% it disturbs.", ["1.2% to 1.6%", "1.1%"])
