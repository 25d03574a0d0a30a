-- The role of the target is called so, as everywhere else. The same for files: results/former_names.py.
ALTER TABLE resource_metrics DROP CONSTRAINT resource_metrics_role_check;
UPDATE resource_metrics SET role = 'target' WHERE role = 'api';
ALTER TABLE resource_metrics ADD CONSTRAINT resource_metrics_role_check CHECK (role IN ('target', 'database', 'engine'));
UPDATE performance_metrics SET costs = costs - 'api' || jsonb_build_object('target', costs -> 'api') WHERE costs ? 'api';
UPDATE test_phases SET costs = costs - 'api' || jsonb_build_object('target', costs -> 'api') WHERE costs ? 'api';
UPDATE test_runs SET environment = (
    SELECT jsonb_object_agg(regexp_replace(key, '^api_', 'target_'), value) FROM jsonb_each(environment)
)
WHERE EXISTS (SELECT FROM jsonb_object_keys(environment) AS key WHERE starts_with(key, 'api_'));
UPDATE test_runs SET settings = settings || jsonb_build_object('pin', regexp_replace(settings ->> 'pin', '\mapi=', 'target='))
WHERE settings ->> 'pin' ~ '\mapi=';

DROP VIEW run_figures;
CREATE VIEW run_figures AS
SELECT
    run.id,
    run.comparison_id,
    run.target,
    run.contender,
    run.workload,
    run.protocol,
    run.test_mode AS mode,
    run.payload_size AS payload,
    run.engine,
    (
        SELECT string_agg(
            CASE WHEN arrival_rate_per_s IS NULL THEN virtual_users::text ELSE arrival_rate_per_s::text || '/s' END,
            ',' ORDER BY phase_number
        )
        FROM test_phases
        WHERE test_run_id = run.id
    ) AS load,
    run.settings - 'seed' AS settings,
    run.round,
    run.status,
    run.started_at,
    run.environment ->> 'commit' AS commit,
    coalesce(run.environment ->> 'cpu', 'unknown') || ' × ' || coalesce(run.environment ->> 'cores', '?') AS machine,
    run.workload_digest,
    best.load AS best_load,
    best.throughput_per_s AS best_throughput_per_s,
    best.min_ms AS best_min_ms,
    best.mean_ms AS best_mean_ms,
    best.p50_ms AS best_p50_ms,
    best.p99_ms AS best_p99_ms,
    total.duration_s,
    total.total_requests AS requests,
    total.failed_requests AS failed,
    total.throughput_per_s,
    total.error_rate,
    total.latency_p50_ms AS p50_ms,
    total.latency_p90_ms AS p90_ms,
    total.latency_p95_ms AS p95_ms,
    total.latency_p99_ms AS p99_ms,
    total.latency_p999_ms AS p999_ms,
    total.latency_max_ms AS max_ms,
    total.latency_mean_ms AS mean_ms,
    total.latency_min_ms AS min_ms,
    total.bytes_sent / nullif(total.duration_s, 0) AS sent_bytes_per_s,
    total.bytes_received / nullif(total.duration_s, 0) AS received_bytes_per_s,
    (total.costs #>> '{target,cpu_s}')::double precision * 1e6 / nullif(total.operations, 0) AS target_cpu_us_each,
    (total.costs #>> '{target,memory_peak_bytes}')::double precision / 1e6 AS target_memory_peak_mb
FROM test_runs AS run
LEFT JOIN performance_metrics AS total ON total.test_run_id = run.id
LEFT JOIN LATERAL (
    SELECT
        CASE
            WHEN arrival_rate_per_s IS NULL THEN virtual_users || ' users' ELSE arrival_rate_per_s || '/s'
        END AS load,
        throughput_per_s,
        latency_min_ms AS min_ms,
        latency_mean_ms AS mean_ms,
        latency_p50_ms AS p50_ms,
        latency_p99_ms AS p99_ms
    FROM test_phases
    WHERE test_run_id = run.id
    ORDER BY throughput_per_s DESC, phase_number
    LIMIT 1
) AS best ON true;
