-- An engine's ceiling inside TLS is another one: a run is held against the ceiling of its own kind.
ALTER TABLE calibrations ADD COLUMN tls boolean NOT NULL DEFAULT false;
DROP INDEX calibrations_by_subject;
CREATE INDEX calibrations_by_subject
    ON calibrations (kind, machine, subject, workload, transport, tls, payload_size, measured_at DESC);
