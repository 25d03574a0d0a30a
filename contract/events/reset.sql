-- Gives a run a fresh table: the target makes it anew at start.
DROP TABLE IF EXISTS car_entities;
