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
    (total.costs #>> '{api,cpu_s}')::double precision * 1e6 / nullif(total.operations, 0) AS api_cpu_us_each,
    (total.costs #>> '{api,memory_peak_bytes}')::double precision / 1e6 AS api_memory_peak_mb
FROM test_runs AS run
LEFT JOIN performance_metrics AS total ON total.test_run_id = run.id;
ALTER TABLE test_runs DROP COLUMN vectors_digest, DROP COLUMN workload_digest, DROP COLUMN checks;
ALTER TABLE test_phases DROP COLUMN by_operation;
ALTER TABLE performance_metrics DROP COLUMN by_operation;
