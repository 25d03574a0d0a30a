DROP VIEW run_figures;
ALTER TABLE test_phases DROP COLUMN latency_count;
ALTER TABLE performance_metrics DROP COLUMN latency_count;
DROP INDEX test_runs_by_commit;
DROP INDEX comparisons_by_start;
CREATE INDEX test_runs_by_start ON test_runs (started_at DESC);
DROP INDEX test_runs_newest_first;
DROP INDEX test_runs_by_api_and_start;
