"""Tables in terminals of every width: nothing is cut off."""

import io

import pytest
from rich.console import Console
from rich.table import Table

from bakeoff.reporting.fitting import print_fitted

HEADINGS = ("phase", "requests", "ops/s", "p50 ms", "p95 ms", "p99.9 ms", "failed")
ROW = ("1 Baseline", "1,234,567", "12,345", "1.23", "4.56", "789", "17")


def table() -> Table:
    made = Table(caption="latency in ms", caption_justify="left")
    for heading in HEADINGS:
        made.add_column(heading, no_wrap=True)
    made.add_row(*ROW)
    return made


@pytest.mark.parametrize("width", [30, 50, 80, 140])
def test_every_cell_is_shown_whole_and_no_line_is_wider_than_the_terminal(width: int) -> None:
    console = Console(width=width, record=True, file=io.StringIO())
    print_fitted(console, table())
    lines = console.export_text().splitlines()
    assert max(len(line) for line in lines) <= width
    text = "\n".join(lines)
    for cell in (*HEADINGS, *ROW):
        assert cell in text
    assert text.count("latency in ms") == 1


@pytest.mark.parametrize(("width", "parts"), [(140, 1), (60, 2)])
def test_the_first_column_stands_before_each_part(width: int, parts: int) -> None:
    console = Console(width=width, record=True, file=io.StringIO())
    print_fitted(console, table())
    assert console.export_text().count("1 Baseline") == parts
