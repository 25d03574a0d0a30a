"""A database that an older lab filled is read as if this one had."""

from pathlib import Path

import msgspec
import pytest
from psycopg.types.json import Jsonb
from throwaway_server import throwaway_server

from bakeoff.history.listing import RunFilter, list_runs
from bakeoff.project import Project
from bakeoff.storage import metrics_store
from bakeoff.storage.metrics_store import MetricsStore
from bakeoff.storage.stored_runs import load_runs
from made_up import cost, measured

pytestmark = pytest.mark.end_to_end

_RUN = """
INSERT INTO comparisons (started_at, workload, test_mode, command, status)
VALUES ('2026-01-01Z', 'events', 'quick', './bakeoff run quick', 'completed');
INSERT INTO test_runs (comparison_id, api_name, workload, language, protocol, test_mode, payload_size, engine,
    engine_version, settings, environment, status, started_at, finished_at, contender, warm_up, database_activity)
VALUES (1, 'one', 'events', 'rust', 'rest', 'quick', 'default', 'native', '1', '{}', '{}', 'completed',
    '2026-01-01Z', '2026-01-01Z', 'one', '{"steady": true, "said": "x"}', '{"commits": "many", "wal_bytes": 5}');
"""
_TOTAL = """
INSERT INTO performance_metrics (test_run_id, duration_s, total_requests, ok_requests, failed_requests, operations,
    unsent, throughput_per_s, error_rate, errors, bytes_sent, bytes_received, latency_mean_ms, latency_min_ms,
    latency_max_ms, latency_p50_ms, latency_p90_ms, latency_p95_ms, latency_p99_ms, latency_p999_ms, histogram, costs)
VALUES (1, 10, 1000, 1000, 0, 1000, 0, 100, 0, '{}', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, %s, '{}')
"""


def test_runs_from_before_targets_had_their_column(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = tmp_path / "migrations"
    older.mkdir()
    for file in metrics_store._MIGRATIONS.glob("000[1-7]_*.sql"):
        (older / file.name).write_text(file.read_text("utf-8"), "utf-8")
    total = measured()
    with throwaway_server(project, tmp_path) as start, start() as server:
        with monkeypatch.context() as before:
            before.setattr(metrics_store, "_MIGRATIONS", older)
            MetricsStore(server).migrate()
        server.execute_script(_RUN)
        with server.connect() as connection:
            connection.execute(_TOTAL.encode(), [total.histogram])
        MetricsStore(server).migrate()
        (listed,) = list_runs(server, RunFilter(target="one"), 10).runs
        (stored,) = load_runs(server, [listed.id])
    assert (listed.target, stored.result.target, listed.p99_ms) == ("one", "one", 1.0)
    assert stored.result.total is not None and stored.result.total.latency == total.latency
    assert (stored.result.total.processes, stored.result.total.gauges) == ({}, {})
    # What an older lab recorded in another form is left out.
    assert stored.result.warm_up is not None and stored.result.warm_up.steady is True
    activity = stored.result.database_activity
    assert activity is not None and (activity.commits, activity.wal_bytes) == (None, 5)


_SHIPPED = """
INSERT INTO comparisons (started_at, workload, test_mode, command, status, request, not_measured)
VALUES ('2026-01-01Z', 'events', 'quick', './bakeoff run quick', 'completed',
    '{"mode": "quick", "targets": ["producer-api-go-rest", "one"]}',
    '{"producer-api-java-grpc write_mode=per-request": "producer-api-java-grpc: too slow", "one": "gone"}');
INSERT INTO test_runs (comparison_id, api_name, workload, language, protocol, test_mode, payload_size, engine,
    engine_version, settings, environment, status, started_at, finished_at, contender)
SELECT 1, name, 'events', 'go', 'rest', 'quick', 'default', 'native', '1', '{}', '{}', 'completed',
    '2026-01-01Z', '2026-01-01Z', name || ' pool_size=8'
FROM unnest(ARRAY['producer-api-go-rest', 'one']) AS name;
"""


def test_shipped_targets_from_before_classes_are_the_tuned_ones(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = tmp_path / "migrations"
    older.mkdir()
    for file in metrics_store._MIGRATIONS.glob("000[1-7]_*.sql"):
        (older / file.name).write_text(file.read_text("utf-8"), "utf-8")
    with throwaway_server(project, tmp_path) as start, start() as server:
        with monkeypatch.context() as before:
            before.setattr(metrics_store, "_MIGRATIONS", older)
            MetricsStore(server).migrate()
        server.execute_script(_SHIPPED)
        MetricsStore(server).migrate()
        with server.connect() as connection:
            runs = connection.execute("SELECT target, contender, target_class FROM test_runs ORDER BY id").fetchall()
            ((request, not_measured),) = connection.execute("SELECT request, not_measured FROM comparisons").fetchall()
    assert runs == [
        ("producer-api-go-rest-tuned", "producer-api-go-rest-tuned pool_size=8", "tuned"),
        ("one", "one pool_size=8", "standard"),
    ]
    assert request["targets"] == ["producer-api-go-rest-tuned", "one"]
    assert list(not_measured) == ["one", "producer-api-java-grpc-tuned write_mode=per-request"]


_SENDING = """
INSERT INTO comparisons (started_at, workload, test_mode, command, status, request, not_measured)
VALUES ('2026-01-01Z', 'events', 'quick', './bakeoff run quick', 'completed',
    '{"mode": "quick", "levels": {"sending": ["unary", "stream"]}}', '{"one sending=stream": "no stream"}');
INSERT INTO test_runs (comparison_id, target, workload, language, protocol, test_mode, payload_size, engine,
    engine_version, settings, environment, status, started_at, finished_at, contender, factors)
VALUES (1, 'one', 'events', 'go', 'rest', 'quick', 'default', 'native', '1', '{"sending": "batch-5", "seed": "1"}',
    '{}', 'completed', '2026-01-01Z', '2026-01-01Z', 'one sending=batch-5', '{"sending": "batch-5"}');
INSERT INTO findings (test_run_id, kind, severity, message, advice)
VALUES (1, 'costly-sampling', 'warning', 'm', 'a'), (1, 'errors', 'warning', 'm', 'a');
"""


def test_factors_and_findings_of_older_runs_have_todays_names(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = tmp_path / "migrations"
    older.mkdir()
    for file in metrics_store._MIGRATIONS.glob("000?_*.sql"):
        (older / file.name).write_text(file.read_text("utf-8"), "utf-8")
    with throwaway_server(project, tmp_path) as start, start() as server:
        with monkeypatch.context() as before:
            before.setattr(metrics_store, "_MIGRATIONS", older)
            MetricsStore(server).migrate()
        server.execute_script(_SENDING)
        MetricsStore(server).migrate()
        (stored,) = load_runs(server, [1])
        with server.connect() as connection:
            ((request, not_measured),) = connection.execute("SELECT request, not_measured FROM comparisons").fetchall()
    run = stored.result
    assert (run.contender, run.factors) == ("one transport_mode=batch-5", {"transport_mode": "batch-5"})
    assert run.settings == {"transport_mode": "batch-5", "seed": "1"}
    assert [finding.kind for finding in run.findings] == ["sampling-overhead", "errors"]
    assert request["levels"] == {"transport_mode": ["unary", "stream"]}
    assert list(not_measured) == ["one transport_mode=stream"]


_ROLES = """
INSERT INTO comparisons (started_at, workload, test_mode, command, status)
VALUES ('2026-01-01Z', 'events', 'quick', './bakeoff run quick', 'completed');
INSERT INTO test_runs (comparison_id, target, workload, language, protocol, test_mode, payload_size, engine,
    engine_version, settings, environment, status, started_at, finished_at, contender)
VALUES (1, 'one', 'events', 'go', 'rest', 'quick', 'default', 'native', '1', '{"pin": "api=0+1,engine=3"}',
    '{"api_image": "x", "cores": "2"}', 'completed', '2026-01-01Z', '2026-01-01Z', 'one');
INSERT INTO resource_metrics (test_run_id, role, sampled_at, cpu_s, memory_bytes)
VALUES (1, 'api', '2026-01-01Z', 0.5, 1000000), (1, 'engine', '2026-01-01Z', 0.1, 1000);
"""
_API_COST = {"api": msgspec.to_builtins(cost(60))}


def test_the_role_of_the_target_was_called_api(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = tmp_path / "migrations"
    older.mkdir()
    for file in sorted(metrics_store._MIGRATIONS.glob("00*.sql")):
        if file.name < "0014":
            (older / file.name).write_text(file.read_text("utf-8"), "utf-8")
    with throwaway_server(project, tmp_path) as start, start() as server:
        with monkeypatch.context() as before:
            before.setattr(metrics_store, "_MIGRATIONS", older)
            MetricsStore(server).migrate()
        server.execute_script(_ROLES)
        with server.connect() as connection:
            connection.execute(_TOTAL.encode(), [measured().histogram])
            connection.execute("UPDATE performance_metrics SET costs = %s", [Jsonb(_API_COST)])
        MetricsStore(server).migrate()
        (stored,) = load_runs(server, [1])
    run = stored.result
    assert {sample.role for sample in run.samples} == {"target", "engine"}
    assert run.total is not None and list(run.total.costs) == ["target"]
    assert (run.environment, run.settings) == (
        {"target_image": "x", "cores": "2"},
        {"pin": "target=0+1,engine=3"},
    )
