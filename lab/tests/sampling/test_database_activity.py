import time
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from throwaway_server import throwaway_server

from bakeoff.postgres.durability import Written
from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.project import Project
from bakeoff.results.database_activity import PhaseActivity
from bakeoff.sampling.database_activity import (
    Counters,
    DatabaseWatch,
    Look,
    PhaseEdge,
    _Writers,
    activity_of,
    phase_activity,
    written_between,
)
from bakeoff.sampling.maintenance import EdgeVacuum

COUNTED: Counters = {"commits": 40, "wal_bytes": 4000, "rows_updated": 50, "rows_hot_updated": 45, "checkpoints": 1}


LOOKS = [
    Look(10, {"CPU": 1, "IO:WalSync": 1, None: 3}),
    Look(20, {"IO:WalSync": 2, None: 1}),
    Look(30, {None: 4}),
]


def test_totals_become_shares() -> None:
    activity = activity_of(COUNTED, LOOKS, 200)
    assert activity.wal_bytes_per_operation == 20
    assert activity.operations_per_commit == 5
    assert activity.hot_update_share == 0.9
    assert activity.active_backends_mean == pytest.approx(4 / 3)
    assert activity.connections_peak == 5
    # The most frequent one first.
    assert list(activity.wait_shares.items()) == [("IO:WalSync", 0.75), ("CPU", 0.25)]


def test_each_phase_has_looks_of_its_own() -> None:
    empty, middle, last = (phase_activity(LOOKS, [], [], span, 0.5) for span in [(0, 10), (10, 30), (30, 31)])
    assert empty == PhaseActivity(looks=0)
    assert middle == PhaseActivity(
        looks=2,
        active_backends_mean=2.0,
        connections_peak=5,
        wait_shares={"IO:WalSync": 0.75, "CPU": 0.25},
        vacuum_s=0.0,
        checkpoint_s=0.0,
    )
    assert (last.looks, last.connections_peak) == (1, 4)


def test_maintenance_is_of_the_phase_that_it_fell_into() -> None:
    second = 1_000_000_000
    looks = [Look(n * second // 2, {}, vacuums=n in (3, 4), checkpoints=n == 9) for n in range(20)]
    marks = [
        PhaseEdge(0, 100, 10, 5.0, commits=50, transactions=7),
        PhaseEdge(5 * second, 300, 30, 25.0, commits=250, transactions=27),
        PhaseEdge(10 * second, 350, 30, 25.0, commits=260, transactions=127),
    ]
    own_vacuum = (4 * second, 6 * second)
    first = phase_activity(looks, marks, [own_vacuum], (0, 5 * second), 0.5)
    later = phase_activity(looks, marks, [own_vacuum], (5 * second, 10 * second), 0.5)
    assert (first.vacuum_s, first.checkpoint_s, later.vacuum_s, later.checkpoint_s) == (2.0, 0.5, 1.0, 0.0)
    assert (first.table_bytes_before, first.table_bytes_after, later.table_bytes_after) == (100, 300, 350)
    assert (first.fsyncs, first.fsync_ms, later.fsyncs, later.fsync_ms) == (20, 1.0, 0, None)
    # Reads are no commits here, and other databases of the server commit too.
    assert (first.commits, later.commits) == (20, 10)


def test_nothing_done_divides_by_nothing() -> None:
    activity = activity_of({**COUNTED, "commits": 0, "rows_updated": 0}, [], 0)
    for name in ("wal_bytes_per_operation", "operations_per_commit", "hot_update_share", "connections_peak"):
        assert getattr(activity, name) is None
    assert activity.wait_shares == {}


def test_a_server_that_is_away_leaves_the_activity_unknown() -> None:
    away = Server(f"postgresql://postgres@127.0.0.1:{ports.free_port()}/nowhere", None, embedded=False)
    with DatabaseWatch(away) as watch:
        pass
    assert watch.counts([]).activity(1, {}) is None


@pytest.fixture(scope="module")
def server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start, start() as running:
        yield running


@pytest.mark.end_to_end
def test_postgresql_s_own_counts(server: Server) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE counted (id int PRIMARY KEY, n int) WITH (fillfactor = 50)")
    # A separate connection, as a target has: its counts are reported when it ends.
    with (
        DatabaseWatch(server, period_s=0.01) as watch,
        psycopg.connect(server.url, autocommit=True) as connection,
    ):
        connection.execute("INSERT INTO counted SELECT n, 0 FROM generate_series(1, 20) AS n")
        for _ in range(5):
            connection.execute("UPDATE counted SET n = n + 1 WHERE id = 1")
        connection.execute("CHECKPOINT")
        for _ in range(100):
            connection.execute("SELECT pg_sleep(0.05)")
            if any("Timeout:PgSleep" in look.backends for look in watch._looks):
                break
    assert watch.own_cpu_s > 0
    activity = watch.counts([]).activity(25, {1: (0, time.time_ns())})
    assert activity is not None
    assert (activity.rows_inserted, activity.rows_updated, activity.hot_update_share) == (20, 5, 1.0)
    assert (activity.commits or 0) >= 7
    assert (activity.wal_bytes or 0) > 500
    assert (activity.checkpoints or 0) >= 1
    assert "Timeout:PgSleep" in activity.wait_shares
    assert activity.phases is not None and activity.phases["1"].looks == activity.looks


@pytest.mark.end_to_end
def test_a_vacuum_at_the_edge_of_a_phase_is_timed_and_tables_are_measured(server: Server) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE grown AS SELECT n FROM generate_series(1, 20000) AS n")
    with DatabaseWatch(server, period_s=0.01) as watch, EdgeVacuum(server) as vacuum:
        watch.mark()
        vacuum.begin()
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("INSERT INTO grown SELECT n FROM generate_series(1, 20000) AS n")
            connection.execute("SELECT pg_sleep(0.1)")
        watch.mark()
    assert len(vacuum.spans) == 1
    activity = watch.counts(vacuum.spans).activity(1, {1: (vacuum.spans[0][0], time.time_ns())})
    assert activity is not None and activity.phases is not None
    phase = activity.phases["1"]
    assert (phase.vacuum_s or 0) > 0
    assert (phase.table_bytes_after or 0) > (phase.table_bytes_before or 0) > 500_000


def test_a_time_without_looks_belongs_to_the_one_before_it() -> None:
    marks = [PhaseEdge(at, 0, 0, 0.0, 10 * at, 10 * at, 10 * at, at) for at in (0, 10, 20, 30)]
    looks = [Look(5, {}, writing=2), Look(8, {}, writing=4), Look(25, {}, writing=1)]
    assert written_between(marks, looks) == [Written(200, 200, 200, 4, 20), Written(100, 100, 100, 1, 10)]
    assert written_between([], looks) == written_between(marks[:1], looks) == []
    assert written_between([replace(each, client_flushes=None) for each in marks], looks) == []


def test_sessions_write_while_their_part_of_the_log_grows() -> None:
    writers = _Writers()
    assert writers.seen(None, 0.0) is None
    assert writers.seen({1: 10, 2: 0}, 0.0) == 2
    # The second one is idle, the third is new, and the first ends.
    assert writers.seen({1: 20, 2: 0}, 3.0) == 1
    assert writers.seen({1: 20, 2: 0, 3: 0}, 5.0) == 2
    assert writers.seen({2: 0, 3: 0}, 6.0) == 1
