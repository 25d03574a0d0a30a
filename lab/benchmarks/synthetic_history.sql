-- Invented history, labelled as such (environment: synthetic = true): as many comparisons of six runs as are asked for,
-- one an hour, with phases, samples and figures that drift a little. The histograms are all the same one.
-- Settings of the session: benchmark.comparisons, benchmark.histogram.

INSERT INTO comparisons (started_at, finished_at, workload, test_mode, command, status, name)
SELECT now() - make_interval(hours => current_setting('benchmark.comparisons')::int - number), now(), 'events', 'quick', 'synthetic', 'completed', 'synthetic'
FROM generate_series(1, current_setting('benchmark.comparisons')::int) AS number;

INSERT INTO test_runs (
    comparison_id, target, workload, language, protocol, test_mode, payload_size, engine, engine_version, settings,
    environment, status, started_at, finished_at, start_to_healthy_s, contender, timeline
)
SELECT
    comparison.id,
    'producer-api-' || language || '-' || protocol,
    'events',
    language,
    protocol,
    (ARRAY['quick', 'quick', 'smoke', 'full'])[1 + comparison.id % 4],
    (ARRAY['default', 'default', '4k', '8k', '32k', '64k'])[1 + comparison.id % 6],
    'native',
    '0.1.0',
    '{"seed": "1", "connections": "one for each user"}',
    jsonb_build_object(
        'synthetic', 'true', 'commit', md5((comparison.id / 10)::text) || '00000000', 'kernel', '6.1', 'cores', '2',
        'cpu', 'invented', 'database', 'PostgreSQL 18.4', 'machine', 'x86_64', 'memory_mib', '16384'
    ),
    CASE WHEN comparison.id % 50 = 0 THEN 'failed' ELSE 'completed' END,
    comparison.started_at,
    comparison.started_at + interval '40 seconds',
    0.1,
    'producer-api-' || language || '-' || protocol,
    (SELECT jsonb_agg(jsonb_build_array(second, 1 + second / 10, 20000 + second, 0, 1.5, 9.5)) FROM generate_series(0, 29) AS second)
FROM comparisons AS comparison
CROSS JOIN unnest(ARRAY['rust', 'go', 'java']) AS language
CROSS JOIN unnest(ARRAY['rest', 'grpc']) AS protocol
WHERE comparison.name = 'synthetic';

INSERT INTO test_phases (
    test_run_id, phase_number, phase_name, virtual_users, started_at, duration_s, total_requests, ok_requests,
    failed_requests, operations, unsent, throughput_per_s, error_rate, errors, bytes_sent, bytes_received,
    latency_count, latency_mean_ms, latency_min_ms, latency_max_ms, latency_p50_ms, latency_p90_ms, latency_p95_ms,
    latency_p99_ms, latency_p999_ms, histogram, costs
)
SELECT
    run.id, phase, 'Phase ' || phase, 10 * phase, run.started_at + make_interval(secs => 10 * phase), 10, operations,
    operations, 0, operations, 0, operations / 10.0, 0, '{}', operations * 500, operations * 50, operations, 2, 0.1, 50,
    1.5, 5, 7, 9 + run.id % 7, 20, current_setting('benchmark.histogram'),
    '{"target": {"cpu_s": 4.0, "cpu_percent_mean": 40, "cpu_percent_peak": 60, "memory_mean_bytes": 3e7, "memory_peak_bytes": 40000000}}'
FROM test_runs AS run
CROSS JOIN generate_series(1, 3) AS phase
CROSS JOIN LATERAL (SELECT 200000 + (run.id * 7919) % 20000 AS operations) AS figures
WHERE run.environment ->> 'synthetic' = 'true';

INSERT INTO performance_metrics (
    test_run_id, duration_s, total_requests, ok_requests, failed_requests, operations, unsent, throughput_per_s,
    error_rate, errors, bytes_sent, bytes_received, latency_count, latency_mean_ms, latency_min_ms, latency_max_ms,
    latency_p50_ms, latency_p90_ms, latency_p95_ms, latency_p99_ms, latency_p999_ms, histogram, costs
)
SELECT
    test_run_id, sum(duration_s), sum(total_requests), sum(ok_requests), 0, sum(operations), 0,
    sum(operations) / sum(duration_s), 0, '{}', sum(bytes_sent), sum(bytes_received), sum(latency_count), 2, 0.1, 50,
    1.5, 5, 7, max(latency_p99_ms), 20, min(histogram),
    '{"target": {"cpu_s": 12.0, "cpu_percent_mean": 40, "cpu_percent_peak": 60, "memory_mean_bytes": 3e7, "memory_peak_bytes": 40000000}}'
FROM test_phases
GROUP BY test_run_id;

INSERT INTO resource_metrics (test_run_id, sampled_at, role, cpu_s, memory_bytes)
SELECT run.id, run.started_at + make_interval(secs => second), role, second * 0.4, 30000000 + second
FROM test_runs AS run
CROSS JOIN generate_series(0, 30, 5) AS second
CROSS JOIN unnest(ARRAY['target', 'database', 'engine']) AS role
WHERE run.environment ->> 'synthetic' = 'true';

ANALYZE;
