"""The reference lines: each is named by how many rows it stores in a transaction."""

from collections.abc import Iterable

ONE_EACH = "one upsert per event"
LARGE_ROWS = 500

_BATCHES = "batches of "
# Of the logarithm of a commit's size: a line of another size than that says nothing of it.
_NEAR = 1.25


def line_name(rows: int) -> str:
    """`batches of 44`; of one row the plainest statement."""
    return ONE_EACH if rows == 1 else f"{_BATCHES}{rows}"


def rows_per_commit(name: str) -> int | None:
    """The rows in each transaction of a line; None for what is no reference line."""
    if name == ONE_EACH:
        return 1
    rows = name.removeprefix(_BATCHES)
    return int(rows) if name.startswith(_BATCHES) and rows.isdecimal() else None


def line_that_commits_like(names: Iterable[str], operations_per_commit: float | None) -> str | None:
    """The line with about as many rows in a transaction; None where none is near."""
    if operations_per_commit is None:
        return None

    def apart(name: str) -> float:
        rows, own = rows_per_commit(name), max(1.0, operations_per_commit)
        return float("inf") if rows is None else max(rows / own, own / rows)

    nearest = min(names, key=apart, default=None)
    return nearest if nearest is not None and apart(nearest) <= _NEAR else None


BATCHES = line_name(LARGE_ROWS)
