DROP TABLE findings, resource_metrics, test_phases, performance_metrics, test_runs, comparisons;
