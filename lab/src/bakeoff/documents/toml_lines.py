"""Finds the lines of the keys in a TOML text, which the standard library's parser does not report."""

import re
from collections.abc import Iterator, Mapping, Sequence

Place = Sequence[str | int]


def line_of(text: str, place: Place) -> int:
    """The line of the key of a place, such as ("vary", "payload") or ("operations", 2, "needs").

    1 where it is not to be found; the closest table around it where the key is inside an inline table.
    """
    lines = _lines_of_keys(text)
    return next((lines[tuple(place[:depth])] for depth in range(len(place), 0, -1) if tuple(place[:depth]) in lines), 1)


def _lines_of_keys(text: str) -> dict[tuple[str | int, ...], int]:
    """The line of each key and table. An element of an array of tables is known by its index."""
    lines: dict[tuple[str | int, ...], int] = {}
    elements: dict[tuple[str | int, ...], int] = {}
    table: tuple[str | int, ...] = ()
    for number, line in _lines_outside_texts(text):
        header = re.match(r"\s*(\[+)([^\]]+)\]", line)
        key = re.match(r"\s*([\w.\"'-]+)\s*=", line)
        if header:
            table = _table(_parts(header.group(2)), elements)
            if header.group(1) == "[[":
                lines.setdefault(table, number)
                elements[table] = elements.get(table, -1) + 1
                table = (*table, elements[table])
            for depth in range(1, len(table) + 1):
                lines.setdefault(table[:depth], number)
        elif key:
            lines.setdefault((*table, *_parts(key.group(1))), number)
    return lines


def _lines_outside_texts(text: str) -> Iterator[tuple[int, str]]:
    """The lines by number, without those inside texts of several lines, which may look like keys and tables."""
    delimiter = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not delimiter:
            yield number, line
        for found in re.findall(r'''"""|\'{3}''', line):
            delimiter = "" if delimiter == found else delimiter or found


def _table(names: Sequence[str], elements: Mapping[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """The table of a header: below an array of tables it belongs to the array's last element."""
    table: tuple[str | int, ...] = ()
    for depth, name in enumerate(names):
        table = (*table, name)
        if table in elements and depth < len(names) - 1:
            table = (*table, elements[table])
    return table


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]
