ALTER TABLE calibrations DROP COLUMN comparison_id;
