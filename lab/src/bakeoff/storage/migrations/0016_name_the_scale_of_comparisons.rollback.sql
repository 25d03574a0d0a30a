ALTER TABLE comparisons DROP COLUMN scale;
