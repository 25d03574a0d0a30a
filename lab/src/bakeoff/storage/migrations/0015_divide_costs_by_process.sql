-- What each process of a target of several has used: by its name, in the form of costs.

ALTER TABLE performance_metrics ADD COLUMN processes jsonb NOT NULL DEFAULT '{}';
ALTER TABLE test_phases ADD COLUMN processes jsonb NOT NULL DEFAULT '{}';
