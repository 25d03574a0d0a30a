"""Queries of the pages that the command line does not need."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from bakeoff.postgres.server import Server

# The page is chosen before anything is looked up of its rows, however many comparisons there are.
_PAGE = """
WITH page AS (
    SELECT * FROM comparisons AS comparison
    WHERE (%(before)s::bigint IS NULL OR id < %(before)s)
      AND (%(workload)s::text IS NULL OR workload = %(workload)s)
      AND (%(mode)s::text IS NULL OR test_mode = %(mode)s)
      AND (%(status)s::text IS NULL OR status = %(status)s)
      AND (%(words)s::text IS NULL
           OR name ILIKE %(words)s OR command ILIKE %(words)s
           OR EXISTS (SELECT FROM test_runs WHERE comparison_id = comparison.id AND target ILIKE %(words)s))
    ORDER BY id DESC
    LIMIT %(limit)s
)
SELECT page.id, page.name, page.workload, page.test_mode AS mode, page.command, page.status, page.rounds,
       page.started_at, own.runs, own.incomplete, own.targets, page.fastest, page.fastest_per_s
FROM page
CROSS JOIN LATERAL (
    SELECT count(*) AS runs,
           count(*) FILTER (WHERE status <> 'completed') AS incomplete,
           coalesce(array_agg(DISTINCT target ORDER BY target), '{}') AS targets
    FROM test_runs
    WHERE comparison_id = page.id AND test_mode = page.test_mode
) AS own
ORDER BY page.id DESC
"""


@dataclass(frozen=True)
class ComparisonFilter:
    """Which comparisons are wanted; None: all. `words` are looked for in names, commands and targets."""

    words: str | None = None
    workload: str | None = None
    mode: str | None = None
    status: str | None = None


@dataclass(frozen=True)
class ComparisonRow:
    """A comparison in one row of a list. `incomplete` counts runs that were not completed.

    `fastest` is the contender that the verdict names; None where it names none.
    """

    id: int
    name: str
    workload: str
    mode: str
    command: str
    status: str
    rounds: int
    started_at: datetime
    runs: int
    incomplete: int
    targets: Sequence[str]
    fastest: str | None
    fastest_per_s: float | None


def list_comparisons(
    server: Server, wanted: ComparisonFilter, limit: int, before: int | None = None
) -> tuple[list[ComparisonRow], bool]:
    """The newest comparisons, or those older than `before`; and whether there are more."""
    from psycopg.rows import class_row

    values = {**asdict(wanted), "before": before, "limit": limit + 1}
    if wanted.words is not None:
        literal = wanted.words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        values["words"] = f"%{literal}%"
    with server.connect() as connection, connection.cursor(row_factory=class_row(ComparisonRow)) as cursor:
        rows = cursor.execute(_PAGE, values).fetchall()
    return rows[:limit], len(rows) > limit


@dataclass(frozen=True)
class Choices:
    """The values of the filters."""

    targets: Sequence[str]
    modes: Sequence[str]
    payloads: Sequence[str]
    workloads: Sequence[str]


# Walks the index from one value to the next instead of reading every row.
_DISTINCT = """
WITH RECURSIVE each AS (
    (SELECT target FROM test_runs ORDER BY target LIMIT 1)
    UNION ALL
    SELECT (SELECT target FROM test_runs WHERE target > each.target ORDER BY target LIMIT 1)
    FROM each WHERE each.target IS NOT NULL
)
SELECT each.target,
       (SELECT array_agg(DISTINCT test_mode) FROM test_runs WHERE target = each.target),
       (SELECT array_agg(DISTINCT payload_size) FROM test_runs WHERE target = each.target),
       (SELECT workload FROM test_runs WHERE target = each.target ORDER BY started_at DESC LIMIT 1)
FROM each WHERE each.target IS NOT NULL
"""


def choices(server: Server) -> Choices:
    """The targets, modes, payloads and workloads that have runs."""
    with server.connect() as connection:
        rows = connection.execute(_DISTINCT).fetchall()
    return Choices(
        targets=[row[0] for row in rows],
        modes=sorted({mode for row in rows for mode in row[1]}),
        payloads=sorted({payload for row in rows for payload in row[2]}),
        workloads=sorted({row[3] for row in rows}),
    )
