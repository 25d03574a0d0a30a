"""Tables in a terminal that is too narrow for them: columns continue below, and nothing is cut off."""

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Column, Table


def print_fitted(console: Console, shown: RenderableType) -> None:
    """Prints something whose tables are divided where the console is too narrow for them."""
    for part in shown.renderables if isinstance(shown, Group) else (shown,):
        for piece in fitted(console, part) if isinstance(part, Table) else (part,):
            console.print(piece)


def fitted(console: Console, table: Table) -> list[Table]:
    """Tables that fit the console, each with the first column of `table` and as many of the others as there is room."""
    last = len(table.columns) - 1
    chosen = list(_groups(console, table))
    return [_part(table, [0, *places], captioned=last in places) for places in chosen] if chosen else [table]


def _groups(console: Console, table: Table) -> Iterator[list[int]]:
    places: list[int] = []
    for place in range(1, len(table.columns)):
        if places and not _fits(console, _part(table, [0, *places, place], captioned=False)):
            yield places
            places = []
        places.append(place)
    if places:
        yield places


def _fits(console: Console, table: Table) -> bool:
    # Without limits of the console's, so that the measure is what the table would like to have.
    wide = console.options.update(max_width=10_000)
    foldable = sum(
        max(each.maximum for each in cells) - max(each.minimum for each in cells)
        for column in table.columns
        if not column.no_wrap and (cells := [Measurement.get(console, wide, cell) for cell in _cells(column)])
    )
    return Measurement.get(console, wide, table).maximum - foldable <= console.width


def _cells(column: Column) -> list[RenderableType]:
    return [column.header, *column.cells]


def _part(table: Table, places: Sequence[int], *, captioned: bool) -> Table:
    part = Table(
        box=table.box,
        pad_edge=table.pad_edge,
        caption=table.caption if captioned else None,
        caption_justify=table.caption_justify,
    )
    columns = [table.columns[place] for place in places]
    for column in columns:
        part.add_column(column.header, justify=column.justify, no_wrap=column.no_wrap, overflow=column.overflow)
    for row in zip(*(column.cells for column in columns), strict=True):
        part.add_row(*row)
    return part
