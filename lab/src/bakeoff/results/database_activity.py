"""The record of PostgreSQL's own view of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field


def longest_first(shares: Mapping[str, float]) -> dict[str, float]:
    """Shares of time by what sessions waited for."""
    return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True)
class DatabaseFigures:
    """PostgreSQL's own view, warm-up and phases together. `each`: for each acknowledged operation.

    `hot_update_share` are the updates that touched no index. `waits` are shares of the time of sessions that were at
    work, by what they waited for or the CPU, the longest first.
    """

    wal_bytes_each: float | None
    commits_each: float | None
    operations_per_commit: float | None
    rows_inserted: float | None
    rows_updated: float | None
    rows_deleted: float | None
    hot_update_share: float | None
    checkpoints: float | None
    waits: Mapping[str, float]


@dataclass(frozen=True)
class Sessions:
    """Activity of the database's sessions, sampled `looks` times.

    `active_backends_mean` were active at once, and `connections_peak` were open at most; None where nothing was seen.
    `wait_shares` are fractions of the active sessions' time by what they waited for, or the CPU.
    """

    looks: int | None = None
    active_backends_mean: float | None = None
    connections_peak: int | None = None
    wait_shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PhaseActivity(Sessions):
    """PostgreSQL's work during one phase, beside serving sessions. None: unknown.

    `vacuum_s` and `checkpoint_s` are how long a vacuum (autovacuum, or the lab's own) and a checkpoint overlapped with
    it. `table_bytes` are sizes with indexes at its begin and end; flushes of the write-ahead log took `fsync_ms` each.
    `commits` are those that wrote. Checkpoints and autovacuums are those that ended in it; the log grew by `wal_bytes`.
    """

    vacuum_s: float | None = None
    checkpoint_s: float | None = None
    table_bytes_before: int | None = None
    table_bytes_after: int | None = None
    fsyncs: int | None = None
    fsync_ms: float | None = None
    commits: int | None = None
    checkpoints: int | None = None
    autovacuums: int | None = None
    wal_bytes: int | None = None


@dataclass(frozen=True)
class DatabaseActivity(Sessions):
    """PostgreSQL's own counts while `operations` were acknowledged, warm-up and phases together.

    `phases` are what happened in each phase, by its number. A figure is None where PostgreSQL does not count it.
    """

    commits: int | None = None
    rollbacks: int | None = None
    rows_inserted: int | None = None
    rows_updated: int | None = None
    rows_deleted: int | None = None
    rows_hot_updated: int | None = None
    wal_bytes: int | None = None
    checkpoints: int | None = None
    blocks_read: int | None = None
    blocks_hit: int | None = None
    deadlocks: int | None = None
    temp_bytes: int | None = None
    operations: int | None = None
    wal_bytes_per_operation: float | None = None
    operations_per_commit: float | None = None
    hot_update_share: float | None = None
    phases: Mapping[str, PhaseActivity] | None = None

    @property
    def wal_bytes_each(self) -> float | None:
        return self.wal_bytes_per_operation

    @property
    def commits_each(self) -> float | None:
        return self.commits / self.operations if self.commits is not None and self.operations else None

    @property
    def waits(self) -> dict[str, float]:
        """The longest first."""
        return longest_first(self.wait_shares)
