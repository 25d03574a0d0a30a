ALTER TABLE comparisons DROP COLUMN refused, DROP COLUMN confirmation;
