-- The factor whose levels are counts of something, so that throughput along them is a curve. Empty: none.
ALTER TABLE comparisons ADD COLUMN scale text NOT NULL DEFAULT '';
