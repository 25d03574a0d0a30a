-- A reference line that was drawn before or after a comparison belongs to it. NULL: drawn by ./bakeoff calibrate.
ALTER TABLE calibrations ADD COLUMN comparison_id bigint REFERENCES comparisons ON DELETE CASCADE;
CREATE INDEX calibrations_by_comparison ON calibrations (comparison_id) WHERE comparison_id IS NOT NULL;
