"""Tables as plain text, one row a line, for terminals, logs and files.

Where a terminal is too narrow, columns are left out, the least important first. Nothing is cut or wrapped.
Without rich: to load it takes as long as all else that a list of runs does.
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

_GAP = "  "
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


@dataclass(frozen=True)
class Table:
    """`headings` and `rows` are of one length, except that a row of one cell is a line across all columns.

    The first `left` columns are words, and the last one where `words_last`; all others are figures. A narrow terminal
    lacks the columns with the headings in `least`, in that order, then others from the right, never the first `kept`.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    note: str = ""
    words_last: bool = False
    least: Sequence[str] = ()
    kept: int = 1

    def is_words(self, place: int) -> bool:
        """Whether the column at this place, from 0, is read as words."""
        return place < self.left or (self.words_last and place == len(self.headings) - 1)


def lines_of(table: Table, width: int | None = None) -> Iterator[str]:
    """The lines of a table that is at most `width` columns wide; None: as wide as it is."""
    headings, rows = _printable(table.headings), [_printable(row) for row in table.rows]
    full = [row for row in rows if len(row) == len(headings)]
    widths = [max(map(len, column)) for column in zip(headings, *full, strict=True)]
    places = _fitting(table, widths, width)
    yield from _wrapped(table.title, width)
    for row in (headings, ["─" * each for each in widths], *rows):
        if len(row) == len(headings):
            cells = ((row[each].ljust if table.is_words(each) else row[each].rjust)(widths[each]) for each in places)
            yield _GAP.join(cells).rstrip()
        else:
            yield row[0]
    if missing := dict.fromkeys(heading for place, heading in enumerate(headings) if place not in places):
        yield from _wrapped(f"Too narrow for: {', '.join(missing)}.", width)
    yield from _wrapped(table.note, width)


def _fitting(table: Table, widths: Sequence[int], width: int | None) -> list[int]:
    """The places of the columns that are shown."""
    places = list(range(len(widths)))
    least = [place for name in table.least for place, heading in enumerate(table.headings) if heading == name]
    for place in dict.fromkeys([*least, *reversed(places[table.kept :])]):
        if width is None or sum(widths[each] + len(_GAP) for each in places) - len(_GAP) <= width:
            break
        places.remove(place)
    return places


class Strong(str):
    """A paragraph that a terminal shows in bold."""

    __slots__ = ()


def text_of(*parts: Table | str, width: int | None = None, styled: bool = False) -> str:
    """Paragraphs and tables, an empty line around each table; tables without rows are left out."""
    lines: list[str] = []
    for part in parts:
        if isinstance(part, str):
            bold = styled and isinstance(part, Strong)
            lines += [f"{_BOLD}{line}{_PLAIN}" if bold else line for line in _wrapped(part, width)]
        elif part.rows:
            lines += ["", *lines_of(part, width), ""]
    kept = (line for before, line in zip(["", *lines], lines, strict=False) if line or before)
    return "\n".join(kept).rstrip("\n")


def show(*parts: Table | str, stream: TextIO | None = None) -> None:
    """Prints them, as wide as the terminal; in full where the output is no terminal."""
    stream = stream or sys.stdout
    terminal = stream.isatty()
    width = shutil.get_terminal_size().columns if terminal else None
    if text := text_of(*parts, width=width, styled=terminal and os.environ.get("TERM") != "dumb"):
        print(text, file=stream, flush=True)


def _wrapped(text: str, width: int | None) -> Iterator[str]:
    """Its lines; where one is wider than the terminal, it continues between words."""
    for line in _printable(text.splitlines()):
        yield from textwrap.wrap(line, width or len(line) or 1, break_long_words=False, break_on_hyphens=False)


def _printable(texts: Sequence[str]) -> list[str]:
    """Texts without characters that would control a terminal."""
    return ["".join(each if each.isprintable() else "\ufffd" for each in text) for text in texts]
