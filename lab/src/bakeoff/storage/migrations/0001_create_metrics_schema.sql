-- One row for each invocation that measures something.
CREATE TABLE comparisons (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    started_at  timestamptz NOT NULL,
    finished_at timestamptz,
    workload    text        NOT NULL,
    test_mode   text        NOT NULL,
    command     text        NOT NULL,
    status      text        NOT NULL CHECK (status IN ('running', 'completed', 'interrupted', 'failed'))
);

-- One row for each run: a target × mode × payload on a fresh database.
CREATE TABLE test_runs (
    id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    comparison_id      bigint      NOT NULL REFERENCES comparisons ON DELETE CASCADE,
    api_name           text        NOT NULL,
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
    stream_file        text
);
CREATE INDEX test_runs_by_api ON test_runs (api_name, test_mode, payload_size, started_at DESC);
CREATE INDEX test_runs_by_start ON test_runs (started_at DESC);
CREATE INDEX test_runs_by_comparison ON test_runs (comparison_id);

-- What a run measured over all its phases. Latencies are milliseconds, from the merged histogram.
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
    costs            jsonb            NOT NULL
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
    PRIMARY KEY (test_run_id, phase_number)
);

-- CPU and memory over time; cpu_s is cumulative, as the kernel counts it.
CREATE TABLE resource_metrics (
    test_run_id  bigint           NOT NULL REFERENCES test_runs ON DELETE CASCADE,
    sampled_at   timestamptz      NOT NULL,
    role         text             NOT NULL CHECK (role IN ('api', 'database', 'engine')),
    cpu_s        double precision NOT NULL,
    memory_bytes bigint           NOT NULL
);
CREATE INDEX resource_metrics_by_run ON resource_metrics (test_run_id, role, sampled_at);

-- Typed doubts and facts about a run.
CREATE TABLE findings (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    test_run_id bigint NOT NULL REFERENCES test_runs ON DELETE CASCADE,
    kind        text   NOT NULL,
    severity    text   NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
    message     text   NOT NULL,
    advice      text   NOT NULL
);
CREATE INDEX findings_by_run ON findings (test_run_id);
