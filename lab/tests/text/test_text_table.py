"""Tables for terminals of every width, and for what is no terminal."""

import io

import pytest

from bakeoff.text.table import Strong, Table, lines_of, show, text_of

HEADINGS = ("phase", "requests", "ops/s", "p50 ms", "p99 ms", "failed")
ROWS = (("1 Baseline", "1,234,567", "12,345", "1.23", "789", "17"), ("2 Mid", "9", "1", "0.10", "2", "0"))
TABLE = Table("Phases", HEADINGS, ROWS, note="latency in ms", least=("requests", "p50 ms"))


def test_everything_is_written_where_no_width_is_given() -> None:
    assert list(lines_of(TABLE)) == [
        "Phases",
        "phase        requests   ops/s  p50 ms  p99 ms  failed",
        "──────────  ─────────  ──────  ──────  ──────  ──────",
        "1 Baseline  1,234,567  12,345    1.23     789      17",
        "2 Mid               9       1    0.10       2       0",
        "latency in ms",
    ]


@pytest.mark.parametrize(
    ("width", "shown", "missing"),
    [
        (53, HEADINGS, ()),
        (52, ("phase", "ops/s", "p50 ms", "p99 ms", "failed"), ("requests",)),
        (41, ("phase", "ops/s", "p99 ms", "failed"), ("requests", "p50 ms")),
        # Those that are not named go from the right.
        (33, ("phase", "ops/s", "p99 ms"), ("requests", "p50 ms", "failed")),
        (12, ("phase",), ("requests", "ops/s", "p50 ms", "p99 ms", "failed")),
    ],
)
def test_the_least_important_columns_are_left_out_and_named(
    width: int, shown: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    lines = list(lines_of(TABLE, width))
    assert lines[1].replace(" ms", "_ms").split() == [heading.replace(" ", "_") for heading in shown]
    assert all(len(line) <= width for line in lines)
    assert lines[3].split()[2:] == [ROWS[0][HEADINGS.index(heading)] for heading in shown[1:]]
    found = " ".join(lines[5:])
    assert found == (f"Too narrow for: {', '.join(missing)}. latency in ms" if missing else "latency in ms")


def test_columns_that_are_kept_may_be_wider_than_the_terminal() -> None:
    lines = list(lines_of(Table("", ("name", "value"), [("state", "a long value")], left=2, kept=2), 8))
    assert lines[0] == "name   value"
    assert lines[2] == "state  a long value"


def test_words_are_aligned_left_figures_right_and_a_row_of_one_cell_crosses_all_columns() -> None:
    table = Table("", ("a", "figure", "words"), [("group of rows",), ("x", "1", "y"), ("", "22", "")], words_last=True)
    assert list(lines_of(table))[2:] == ["group of rows", "x       1  y", "       22"]


def test_paragraphs_continue_between_words_and_tables_stand_apart() -> None:
    one = Table("", ("a",), [("1",)])
    assert text_of("first line\nsecond", one, one, Table("none", ("a",), []), "last", width=8) == (
        "first\nline\nsecond\n\na\n─\n1\n\na\n─\n1\n\nlast"
    )


def test_nothing_steers_a_terminal() -> None:
    text = text_of("\x1b[31mred", Table("", ("a\x00",), [("new\nline",)]))
    assert "\x1b" not in text and "\x00" not in text
    assert "new\ufffdline" in text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_only_a_terminal_has_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal, log = Terminal(), io.StringIO()
    show(TABLE, stream=terminal)
    show(TABLE, stream=log)
    assert log.getvalue() == text_of(TABLE) + "\n"
    assert terminal.getvalue() == text_of(TABLE, width=40) + "\n"


def test_what_is_strong_is_bold_where_it_is_styled() -> None:
    assert text_of(Strong("one two"), "three", width=4, styled=True) == "\x1b[1mone\x1b[0m\n\x1b[1mtwo\x1b[0m\nthree"
    assert text_of(Strong("one two"), "three") == "one two\nthree"


def test_nothing_is_printed_where_there_is_nothing_to_show() -> None:
    stream = io.StringIO()
    show(Table("", ("a",), ()), stream=stream)
    assert stream.getvalue() == ""
