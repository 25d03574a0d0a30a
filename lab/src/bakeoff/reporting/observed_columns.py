"""PostgreSQL activity and the machine's state as columns: one list for every table that shows them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from bakeoff.reporting import numbers
from bakeoff.reporting.numbers import NOTHING
from bakeoff.results.observed import DatabaseFigures, MachineFigures

_MOST_WAITS = 3
Figures = TypeVar("Figures")


@dataclass(frozen=True)
class Column(Generic[Figures]):
    """A heading, and how its figure is written; `words` are laid out as words."""

    heading: str
    write: Callable[[Figures], str]
    words: bool = False


DATABASE_NOTE = (
    "PostgreSQL's counters, warm-up and phases together. WAL: write-ahead log. HOT: updates without index changes."
)
SESSIONS_NOTE = "Share of the time of active sessions: on the CPU, or waiting for the named event."
DATABASE: Sequence[Column[DatabaseFigures]] = (
    Column("WAL bytes/op", lambda figures: numbers.three_digits(figures["wal_bytes_each"])),
    Column("commits/op", lambda figures: numbers.three_digits(figures["commits_each"])),
    Column("ops/commit", lambda figures: numbers.three_digits(figures["operations_per_commit"])),
    Column("inserted", lambda figures: _count(figures["rows_inserted"])),
    Column("updated", lambda figures: _count(figures["rows_updated"])),
    Column("HOT", lambda figures: numbers.percent(figures["hot_update_share"])),
    Column("checkpoints", lambda figures: _count(figures["checkpoints"])),
    Column("active sessions", lambda figures: _waits(figures), words=True),
)
DATABASE_OF_A_RUN: Sequence[Column[DatabaseFigures]] = (
    *DATABASE[:-1],
    Column("deleted", lambda figures: _count(figures["rows_deleted"])),
    DATABASE[-1],
)

MACHINE_NOTE = (
    "MB/s: hashing speed of one core before the run. Load: load average before the run. Steal (hypervisor), others "
    "(other processes), lab (bakeoff) and sampling (part of lab): % of one core. Stall: pressure (PSI), % of the time "
    "in which a task waited."
)
MACHINE: Sequence[Column[MachineFigures]] = (
    Column("MB/s", lambda figures: numbers.rate(figures["speed_mb_s"])),
    Column("load", lambda figures: numbers.three_digits(figures["load_average_before"])),
    Column("steal", lambda figures: numbers.percent_of_hundred(figures["steal_percent"])),
    Column("others", lambda figures: numbers.percent_of_hundred(figures["other_cpu_percent"])),
    Column("lab", lambda figures: numbers.percent_of_hundred(figures["lab_cpu_percent"])),
    Column("sampling", lambda figures: numbers.percent_of_hundred(figures["sampling_cpu_percent"])),
    Column("CPU stall", lambda figures: numbers.percent_of_hundred(figures["cpu_pressure_percent"])),
    Column("IO stall", lambda figures: numbers.percent_of_hundred(figures["io_pressure_percent"])),
    Column("mem. stall", lambda figures: numbers.percent_of_hundred(figures["memory_pressure_percent"])),
)


def cells(columns: Sequence[Column[Figures]], figures: Figures | None) -> list[str]:
    """A cell for each column; dashes where nothing was recorded."""
    return [NOTHING if figures is None else column.write(figures) for column in columns]


def _count(value: float | None) -> str:
    return NOTHING if value is None else numbers.count(value)


def _waits(figures: DatabaseFigures) -> str:
    longest = list(figures["waits"].items())[:_MOST_WAITS]
    return ", ".join(f"{at} {numbers.percent(share)}" for at, share in longest) or NOTHING
