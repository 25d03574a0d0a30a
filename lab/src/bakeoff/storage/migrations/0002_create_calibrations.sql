-- What this machine can do at best: an engine against a server that does nothing, and PostgreSQL without an API.
CREATE TABLE calibrations (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    measured_at     timestamptz      NOT NULL,
    machine        text             NOT NULL,
    kind           text             NOT NULL CHECK (kind IN ('engine', 'database')),
    subject        text             NOT NULL,
    subject_version text             NOT NULL,
    workload       text             NOT NULL,
    transport      text             NOT NULL,
    payload_size   text             NOT NULL,
    connections    int              NOT NULL,
    rate_per_s     double precision NOT NULL,
    cpu_us_each    double precision
);
CREATE INDEX calibrations_by_subject
    ON calibrations (kind, machine, subject, workload, transport, payload_size, measured_at DESC);

-- The audit of a run, as the engine gave it, and how much room the generator had left.
ALTER TABLE test_runs ADD COLUMN audit jsonb;
ALTER TABLE test_runs ADD COLUMN ceilings jsonb NOT NULL DEFAULT '{}';
