"""Tables in which too few samples lie beyond a percentile."""

from dataclasses import replace

from bakeoff.reporting.numbers import NOTHING
from bakeoff.results.histograms import FEWEST_BEYOND, WHY_UNKNOWN
from bakeoff.text.table import Table


def explained(table: Table) -> Table:
    """The table, whose note says why percentiles are missing where some are."""
    of_percentiles = [place for place, name in enumerate(table.headings) if name.removesuffix(" ms") in FEWEST_BEYOND]
    full = [row for row in table.rows if len(row) == len(table.headings)]
    if not any(row[place] == NOTHING for row in full for place in of_percentiles):
        return table
    return replace(table, note=f"{table.note} {WHY_UNKNOWN}.".strip())
