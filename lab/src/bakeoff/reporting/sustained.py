"""The table of lasting load: worst moments, PostgreSQL's upkeep, and growth."""

from collections.abc import Sequence

from bakeoff.judging.judgement import JudgedContender
from bakeoff.reporting import numbers
from bakeoff.reporting.figures import with_interval
from bakeoff.reporting.numbers import NOTHING
from bakeoff.text.table import Table

_NOTE = (
    "Worst second: the least and the slowest of any round. Checkpoints and autovacuums: those that ended in the "
    "window, in the round with the fewest. Growth of tables with indexes, and of the log, in bytes for each operation."
)


def sustained_table(entries: Sequence[JudgedContender]) -> Table:
    """Empty for other modes: no window of theirs meets a checkpoint or an autovacuum, save by chance."""
    headings = (
        *("target", "at", "operations/s", "worst second", "p99 ms", "p99.9 ms", "worst second's p99 ms"),
        *("checkpoints", "autovacuums", "tables before, MB", "tables/op", "log/op"),
    )
    rows = []
    for entry in entries:
        levels = {level.load: level for level in entry.levels}
        for window in entry.sustained:
            level = levels[window.load]
            megabytes = None if window.table_bytes_before is None else window.table_bytes_before / 1e6
            rows.append(
                (
                    entry.label,
                    window.load,
                    with_interval(level.throughput_per_s, numbers.rate),
                    _count(window.worst_second_per_s),
                    *(with_interval(level.latency_ms.get(name), numbers.three_digits) for name in ("p99", "p99.9")),
                    numbers.three_digits(window.worst_second_p99_ms),
                    _count(window.checkpoints),
                    _count(window.autovacuums),
                    numbers.megabytes(megabytes),
                    numbers.three_digits(window.table_bytes_each),
                    numbers.three_digits(window.wal_bytes_each),
                )
            )
    return Table("Sustained load", headings, rows, left=2, note=_NOTE)


def _count(value: int | None) -> str:
    return NOTHING if value is None else numbers.count(value)
