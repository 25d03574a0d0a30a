-- One row for each invocation that measures something. `request` is the start of a resumed one.
CREATE TABLE comparisons (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    started_at   timestamptz NOT NULL,
    finished_at  timestamptz,
    workload     text        NOT NULL,
    test_mode    text        NOT NULL,
    command      text        NOT NULL,
    status       text        NOT NULL CHECK (status IN ('running', 'completed', 'interrupted', 'failed')),
    name         text        NOT NULL DEFAULT '',
    rounds       int         NOT NULL DEFAULT 1,
    request      jsonb       NOT NULL DEFAULT '{}',
    not_measured jsonb       NOT NULL DEFAULT '{}',
    -- A gate reruns only the targets that failed: no other run is compared with these.
    confirmation boolean GENERATED ALWAYS AS (command ~ '^(\./)?bakeoff gate') STORED,
    -- The part of `not_measured` that did not build, conform, or pass its smoke test.
    refused      text[]      NOT NULL DEFAULT '{}',
    -- The factor whose levels are counts, along which throughput is a curve. Empty: none.
    scale        text        NOT NULL DEFAULT '',
    -- The contender that the verdict names fastest, and its throughput. NULL: it names none.
    fastest       text,
    fastest_per_s double precision
);
CREATE INDEX comparisons_by_start ON comparisons (started_at);

-- One row for each run: a contender in one round, on a fresh database. `timeline` has an entry for each second.
CREATE TABLE test_runs (
    id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    comparison_id      bigint      NOT NULL REFERENCES comparisons ON DELETE CASCADE,
    target             text        NOT NULL,
    workload           text        NOT NULL,
    language           text        NOT NULL,
    protocol           text        NOT NULL,
    test_mode          text        NOT NULL,
    payload_size       text        NOT NULL,
    engine             text        NOT NULL,
    engine_version     text        NOT NULL,
    settings           jsonb       NOT NULL,
    environment        jsonb       NOT NULL,
    status             text        NOT NULL CHECK (status IN ('completed', 'interrupted', 'failed', 'void')),
    failure            text,
    started_at         timestamptz NOT NULL,
    finished_at        timestamptz NOT NULL,
    start_to_healthy_s double precision,
    stream_file        text,
    audit              jsonb,
    ceilings           jsonb       NOT NULL DEFAULT '{}',
    contender          text        NOT NULL DEFAULT '',
    factors            jsonb       NOT NULL DEFAULT '{}',
    round              int         NOT NULL DEFAULT 1,
    warm_up            jsonb,
    database_activity  jsonb,
    machine_state      jsonb,
    timeline           jsonb       NOT NULL DEFAULT '[]',
    target_class       text        NOT NULL DEFAULT 'standard',
    contract_profile   text        NOT NULL DEFAULT '',
    durability         text        NOT NULL DEFAULT 'unknown',
    checks             jsonb       NOT NULL DEFAULT '{}',
    -- Runs with equal digests were sent the same work and proven by the same vectors.
    workload_digest    text        NOT NULL DEFAULT '',
    vectors_digest     text        NOT NULL DEFAULT '',
    -- Of its phases and its environment: the loads, the phase with the highest throughput, and the machine.
    load               text,
    best_phase         int,
    machine            text        NOT NULL
);
CREATE INDEX test_runs_by_target ON test_runs (target, test_mode, payload_size, started_at DESC);
CREATE INDEX test_runs_by_comparison ON test_runs (comparison_id);
-- Lists and summaries of a long history: newest first, of one target or of all, without reading the rows left out.
CREATE INDEX test_runs_by_target_and_start
    ON test_runs (target, started_at DESC, id DESC) INCLUDE (test_mode, payload_size, status);
CREATE INDEX test_runs_newest_first ON test_runs (started_at DESC, id DESC);
CREATE INDEX test_runs_by_commit ON test_runs ((environment ->> 'commit'));

-- The figures of a run over all its phases. Latencies are milliseconds, from the merged histogram. Throughput counts
-- operations acknowledged within `window_s`, the planned duration; NULL: there was none.
CREATE TABLE performance_metrics (
    test_run_id      bigint PRIMARY KEY REFERENCES test_runs ON DELETE CASCADE,
    duration_s       double precision NOT NULL,
    total_requests   bigint           NOT NULL,
    ok_requests      bigint           NOT NULL,
    failed_requests  bigint           NOT NULL,
    operations       bigint           NOT NULL,
    unsent           bigint           NOT NULL,
    throughput_per_s double precision NOT NULL,
    error_rate       double precision NOT NULL,
    errors           jsonb            NOT NULL,
    bytes_sent       bigint           NOT NULL,
    bytes_received   bigint           NOT NULL,
    latency_mean_ms  double precision NOT NULL,
    latency_min_ms   double precision NOT NULL,
    latency_max_ms   double precision NOT NULL,
    latency_p50_ms   double precision NOT NULL,
    latency_p90_ms   double precision NOT NULL,
    latency_p95_ms   double precision NOT NULL,
    latency_p99_ms   double precision NOT NULL,
    latency_p999_ms  double precision NOT NULL,
    histogram        text             NOT NULL,
    costs            jsonb            NOT NULL,
    latency_count    bigint,
    by_operation     jsonb            NOT NULL DEFAULT '{}',
    sent_bytes_per_s      double precision,
    received_bytes_per_s  double precision,
    target_cpu_us_each    double precision,
    target_memory_peak_mb double precision,
    database_cpu_us_each  double precision,
    window_s         double precision,
    operations_late  bigint           NOT NULL DEFAULT 0,
    processes        jsonb            NOT NULL DEFAULT '{}',
    gauges           jsonb            NOT NULL DEFAULT '{}'
);

-- The same for each phase.
CREATE TABLE test_phases (
    test_run_id      bigint           NOT NULL REFERENCES test_runs ON DELETE CASCADE,
    phase_number     int              NOT NULL,
    phase_name       text             NOT NULL,
    virtual_users    int              NOT NULL,
    started_at       timestamptz      NOT NULL,
    duration_s       double precision NOT NULL,
    total_requests   bigint           NOT NULL,
    ok_requests      bigint           NOT NULL,
    failed_requests  bigint           NOT NULL,
    operations       bigint           NOT NULL,
    unsent           bigint           NOT NULL,
    throughput_per_s double precision NOT NULL,
    error_rate       double precision NOT NULL,
    errors           jsonb            NOT NULL,
    bytes_sent       bigint           NOT NULL,
    bytes_received   bigint           NOT NULL,
    latency_mean_ms  double precision NOT NULL,
    latency_min_ms   double precision NOT NULL,
    latency_max_ms   double precision NOT NULL,
    latency_p50_ms   double precision NOT NULL,
    latency_p90_ms   double precision NOT NULL,
    latency_p95_ms   double precision NOT NULL,
    latency_p99_ms   double precision NOT NULL,
    latency_p999_ms  double precision NOT NULL,
    histogram        text             NOT NULL,
    costs            jsonb            NOT NULL,
    arrival_rate_per_s double precision,
    latency_count    bigint,
    by_operation     jsonb            NOT NULL DEFAULT '{}',
    sent_bytes_per_s      double precision,
    received_bytes_per_s  double precision,
    target_cpu_us_each    double precision,
    target_memory_peak_mb double precision,
    database_cpu_us_each  double precision,
    window_s         double precision,
    operations_late  bigint           NOT NULL DEFAULT 0,
    processes        jsonb            NOT NULL DEFAULT '{}',
    gauges           jsonb            NOT NULL DEFAULT '{}',
    load             text             NOT NULL,
    PRIMARY KEY (test_run_id, phase_number)
);

-- CPU and memory over time. `cpu_s` is cumulative; `pss_bytes` is proportional memory, sampled less often.
CREATE TABLE resource_metrics (
    test_run_id  bigint           NOT NULL REFERENCES test_runs ON DELETE CASCADE,
    sampled_at   timestamptz      NOT NULL,
    role         text             NOT NULL CHECK (role IN ('target', 'database', 'engine')),
    cpu_s        double precision NOT NULL,
    memory_bytes bigint           NOT NULL,
    pss_bytes    bigint
);
CREATE INDEX resource_metrics_by_run ON resource_metrics (test_run_id, role, sampled_at);

CREATE TABLE findings (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    test_run_id bigint NOT NULL REFERENCES test_runs ON DELETE CASCADE,
    kind        text   NOT NULL,
    severity    text   NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
    message     text   NOT NULL,
    advice      text   NOT NULL
);
CREATE INDEX findings_by_run ON findings (test_run_id);

-- Rates that nothing on a machine exceeds: an engine against a null server, and PostgreSQL without an API. A reference
-- line measured before or after a comparison belongs to it; NULL: measured by ./bakeoff calibrate.
CREATE TABLE calibrations (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    measured_at     timestamptz      NOT NULL,
    machine         text             NOT NULL,
    kind            text             NOT NULL CHECK (kind IN ('engine', 'database')),
    subject         text             NOT NULL,
    subject_version text             NOT NULL,
    workload        text             NOT NULL,
    transport       text             NOT NULL,
    payload_size    text             NOT NULL,
    connections     int              NOT NULL,
    rate_per_s      double precision NOT NULL,
    cpu_us_each     double precision,
    tls             boolean          NOT NULL DEFAULT false,
    comparison_id   bigint REFERENCES comparisons ON DELETE CASCADE
);
CREATE INDEX calibrations_by_subject
    ON calibrations (kind, machine, subject, workload, transport, tls, payload_size, measured_at DESC);
CREATE INDEX calibrations_by_comparison ON calibrations (comparison_id) WHERE comparison_id IS NOT NULL;

-- A run in one row of figures, without its histogram: what lists, comparisons, trends and gates read.
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
    run.load,
    run.settings - 'seed' AS settings,
    run.round,
    run.status,
    run.started_at,
    run.environment ->> 'commit' AS commit,
    run.machine,
    run.workload_digest,
    run.durability,
    best.load AS best_load,
    best.throughput_per_s AS best_throughput_per_s,
    best.latency_min_ms AS best_min_ms,
    best.latency_mean_ms AS best_mean_ms,
    best.latency_p50_ms AS best_p50_ms,
    best.latency_p99_ms AS best_p99_ms,
    best.total_requests AS best_requests,
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
LEFT JOIN test_phases AS best ON best.test_run_id = run.id AND best.phase_number = run.best_phase;
