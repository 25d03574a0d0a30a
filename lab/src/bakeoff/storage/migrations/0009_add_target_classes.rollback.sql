ALTER TABLE test_runs DROP COLUMN durability;
ALTER TABLE test_runs DROP COLUMN contract_profile;
ALTER TABLE test_runs DROP COLUMN target_class;
