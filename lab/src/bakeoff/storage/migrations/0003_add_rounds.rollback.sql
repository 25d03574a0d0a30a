ALTER TABLE test_phases DROP COLUMN arrival_rate_per_s;
ALTER TABLE test_runs DROP COLUMN timeline, DROP COLUMN machine_state, DROP COLUMN database_activity,
    DROP COLUMN warm_up, DROP COLUMN round, DROP COLUMN factors, DROP COLUMN contender;
ALTER TABLE comparisons DROP COLUMN not_measured, DROP COLUMN request, DROP COLUMN rounds, DROP COLUMN name;
