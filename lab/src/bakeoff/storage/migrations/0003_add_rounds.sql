-- A comparison has rounds, and may have been declared in a file.
ALTER TABLE comparisons
    ADD COLUMN name         text  NOT NULL DEFAULT '',
    ADD COLUMN rounds       int   NOT NULL DEFAULT 1,
    ADD COLUMN request      jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN not_measured jsonb NOT NULL DEFAULT '{}';

-- A run is one contender's turn in one round. The timeline is one entry for each second.
ALTER TABLE test_runs
    ADD COLUMN contender text  NOT NULL DEFAULT '',
    ADD COLUMN factors   jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN round     int   NOT NULL DEFAULT 1,
    ADD COLUMN warm_up   jsonb,
    ADD COLUMN database_activity jsonb,
    ADD COLUMN machine_state jsonb,
    ADD COLUMN timeline  jsonb NOT NULL DEFAULT '[]';
UPDATE test_runs SET contender = api_name;
ALTER TABLE test_phases ADD COLUMN arrival_rate_per_s double precision;
