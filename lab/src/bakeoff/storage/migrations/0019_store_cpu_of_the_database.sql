-- The CPU that an operation costs PostgreSQL stands beside what it costs the target.

ALTER TABLE performance_metrics ADD COLUMN database_cpu_us_each double precision;
ALTER TABLE test_phases ADD COLUMN database_cpu_us_each double precision;

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
    total.sent_bytes_per_s,
    total.received_bytes_per_s,
    total.target_cpu_us_each,
    total.target_memory_peak_mb,
    total.database_cpu_us_each
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
