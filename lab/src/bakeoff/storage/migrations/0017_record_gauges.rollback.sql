ALTER TABLE test_phases DROP COLUMN gauges;
ALTER TABLE performance_metrics DROP COLUMN gauges;
