"""Tables for the terminal of PostgreSQL activity in a run, and of what the machine was like."""

from collections.abc import Iterable

from rich import box
from rich.table import Table
from rich.text import Text

from bakeoff.reporting.numbers import NOTHING, number, percent, percent_of_hundred
from bakeoff.results.observed import DatabaseFigures, MachineFigures

_MOST_WAITS = 3


def database_table(figures: DatabaseFigures | None) -> Table | Text:
    """What PostgreSQL counted; a dash where it was not queried."""
    title = "PostgreSQL activity"
    if figures is None:
        return _unknown(title)
    hot = figures["hot_update_share"]
    return _table(
        f"{title}, warm-up and phases together",
        (
            ("WAL (write-ahead log)", number(figures["wal_bytes_each"], 0, " bytes/op")),
            ("commits", _commits(figures)),
            ("rows inserted", number(figures["rows_inserted"], 0)),
            ("rows updated", number(figures["rows_updated"], 0)),
            ("  of these HOT (no index change)", percent(hot)),
            ("rows deleted", number(figures["rows_deleted"], 0)),
            ("checkpoints", number(figures["checkpoints"], 0)),
            ("active sessions", _waits(figures)),
        ),
    )


def machine_table(figures: MachineFigures | None) -> Table | Text:
    """What the machine was like; a dash where it was not sampled."""
    title = "the machine"
    if figures is None:
        return _unknown(title)
    pressures = (
        f"CPU {percent_of_hundred(figures['cpu_pressure_percent'])}",
        f"IO {percent_of_hundred(figures['io_pressure_percent'])}",
        f"memory {percent_of_hundred(figures['memory_pressure_percent'])}",
    )
    return _table(
        f"{title}, CPU in % of one core",
        (
            ("speed probe: hashing on one core", number(figures["speed_mb_s"], 0, " MB/s")),
            ("load average before the run", number(figures["load_average_before"], 2)),
            ("steal (hypervisor)", percent_of_hundred(figures["steal_percent"])),
            ("CPU of other processes", percent_of_hundred(figures["other_cpu_percent"])),
            ("CPU of the lab", percent_of_hundred(figures["lab_cpu_percent"])),
            ("  of this sampling", percent_of_hundred(figures["sampling_cpu_percent"])),
            ("pressure (PSI): time in which a task waited for", ", ".join(pressures)),
        ),
    )


def _table(title: str, rows: Iterable[tuple[str, str]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(title, overflow="fold")
    table.add_column("")
    for row in rows:
        table.add_row(*row)
    return table


def _unknown(title: str) -> Text:
    return Text(f"{title}: {NOTHING}")


def _commits(figures: DatabaseFigures) -> str:
    each, operations = figures["commits_each"], figures["operations_per_commit"]
    if each is None or operations is None:
        return NOTHING
    return f"{each:.3g}/op: {operations:,.{0 if operations >= 100 else 1}f} operations per commit"


def _waits(figures: DatabaseFigures) -> str:
    longest = list(figures["waits"].items())[:_MOST_WAITS]
    return ", ".join(f"{at} {percent(share)}" for at, share in longest) or NOTHING
