ALTER TABLE performance_metrics DROP COLUMN window_s, DROP COLUMN operations_late;
ALTER TABLE test_phases DROP COLUMN window_s, DROP COLUMN operations_late;
