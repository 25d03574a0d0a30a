DELETE FROM calibrations WHERE tls;
DROP INDEX calibrations_by_subject;
ALTER TABLE calibrations DROP COLUMN tls;
CREATE INDEX calibrations_by_subject
    ON calibrations (kind, machine, subject, workload, transport, payload_size, measured_at DESC);
