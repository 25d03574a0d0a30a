ALTER TABLE test_runs DROP COLUMN ceilings, DROP COLUMN audit;
DROP TABLE calibrations;
