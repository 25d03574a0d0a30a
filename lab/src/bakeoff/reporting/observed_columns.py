"""PostgreSQL activity and the machine's state as columns: one list for every table that shows them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bakeoff.reporting import numbers
from bakeoff.reporting.numbers import NOTHING
from bakeoff.results.database_activity import DatabaseFigures
from bakeoff.results.machine_state import MachineFigures

_MOST_WAITS = 3
Figures = DatabaseFigures | MachineFigures


@dataclass(frozen=True)
class Column:
    """A heading, the figure's name, its unit in CSV, and how it is written; `words` are laid out as words."""

    heading: str
    name: str
    unit: str
    write: Callable[[Any], str]  # of each figure's own type
    words: bool = False


def cells(columns: Sequence[Column], figures: Figures | None) -> list[str]:
    """A cell for each column; dashes where nothing was recorded."""
    return [NOTHING if figures is None else column.write(getattr(figures, column.name)) for column in columns]


def _count(value: float | None) -> str:
    return NOTHING if value is None else numbers.count(value)


def _waits(shares: Mapping[str, float]) -> str:
    longest = list(shares.items())[:_MOST_WAITS]
    return ", ".join(f"{at} {numbers.percent(share)}" for at, share in longest) or NOTHING


DATABASE_NOTE = (
    "PostgreSQL's counters, warm-up and phases together. WAL: write-ahead log. HOT: updates without index changes."
)
SESSIONS_NOTE = "Share of the time of active sessions: on the CPU, or waiting for the named event."
DATABASE = (
    Column("WAL bytes/op", "wal_bytes_each", "bytes/operation", numbers.three_digits),
    Column("commits/op", "commits_each", "/operation", numbers.three_digits),
    Column("ops/commit", "operations_per_commit", "", numbers.three_digits),
    Column("inserted", "rows_inserted", "", _count),
    Column("updated", "rows_updated", "", _count),
    Column("HOT", "hot_update_share", "share", numbers.percent),
    Column("checkpoints", "checkpoints", "", _count),
    Column("active sessions", "waits", "share", _waits, words=True),
)
DATABASE_OF_A_RUN = (*DATABASE[:-1], Column("deleted", "rows_deleted", "", _count), DATABASE[-1])

MACHINE_NOTE = (
    "MB/s: hashing speed of one core before the run. Load: load average before the run. Steal (hypervisor), others "
    "(other processes), lab (bakeoff) and sampling (part of lab): % of one core. Stall: pressure (PSI), % of the time "
    "in which a task waited."
)
_OF_A_CORE, _OF_THE_TIME = "% of a core", "% of the time"
MACHINE = (
    Column("MB/s", "speed_mb_s", "MB/s", numbers.rate),
    Column("load", "load_average_before", "", numbers.three_digits),
    Column("steal", "steal_percent", _OF_A_CORE, numbers.percent_of_hundred),
    Column("others", "other_cpu_percent", _OF_A_CORE, numbers.percent_of_hundred),
    Column("lab", "lab_cpu_percent", _OF_A_CORE, numbers.percent_of_hundred),
    Column("sampling", "sampling_cpu_percent", _OF_A_CORE, numbers.percent_of_hundred),
    Column("CPU stall", "cpu_pressure_percent", _OF_THE_TIME, numbers.percent_of_hundred),
    Column("IO stall", "io_pressure_percent", _OF_THE_TIME, numbers.percent_of_hundred),
    Column("mem. stall", "memory_pressure_percent", _OF_THE_TIME, numbers.percent_of_hundred),
)
