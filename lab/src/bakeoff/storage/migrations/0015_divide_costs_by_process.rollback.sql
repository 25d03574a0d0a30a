ALTER TABLE test_phases DROP COLUMN processes;
ALTER TABLE performance_metrics DROP COLUMN processes;
