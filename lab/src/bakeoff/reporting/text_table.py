"""A table of text, independent of layout."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """`headings` and `rows` are of one length; the first `left` columns are words, and the last one where `words_last`.

    All others are figures.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    note: str = ""
    words_last: bool = False

    def is_words(self, place: int) -> bool:
        """Whether the column at this place, from 0, is read as words."""
        return place < self.left or (self.words_last and place == len(self.headings) - 1)
