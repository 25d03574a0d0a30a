-- What a target showed of itself: by the labels of its manifest, unit, mean, maximum and number of readings.

ALTER TABLE performance_metrics ADD COLUMN gauges jsonb NOT NULL DEFAULT '{}';
ALTER TABLE test_phases ADD COLUMN gauges jsonb NOT NULL DEFAULT '{}';
