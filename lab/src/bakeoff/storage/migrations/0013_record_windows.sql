-- Throughput is what was acknowledged within the planned duration of a phase: NULL in runs that did not record it.
ALTER TABLE performance_metrics ADD COLUMN window_s double precision;
ALTER TABLE performance_metrics ADD COLUMN operations_late bigint NOT NULL DEFAULT 0;
ALTER TABLE test_phases ADD COLUMN window_s double precision;
ALTER TABLE test_phases ADD COLUMN operations_late bigint NOT NULL DEFAULT 0;
