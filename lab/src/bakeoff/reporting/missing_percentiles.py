"""Tables in which too few samples lie beyond a percentile."""

from dataclasses import replace

from bakeoff.reporting.numbers import NOTHING
from bakeoff.results.histograms import FEWEST_BEYOND, WHY_UNKNOWN
from bakeoff.text.table import Table


def explained(table: Table) -> Table:
    """The table, whose note says why percentiles are missing where some are."""
    names = [name.removesuffix(" ms") for name in table.headings]
    of_percentiles = [place for place, name in enumerate(names) if name in FEWEST_BEYOND]
    # Where the median is missing too, nothing was measured.
    known = [place for place, name in enumerate(names) if name == "p50"]
    full = [row for row in table.rows if len(row) == len(names) and all(row[place] != NOTHING for place in known)]
    if not any(row[place] == NOTHING for row in full for place in of_percentiles):
        return table
    between = " " if table.note.endswith(".") else " · "
    return replace(table, note=f"{table.note}{between if table.note else ''}{WHY_UNKNOWN}.")
