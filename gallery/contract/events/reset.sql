-- Gives a run a fresh table: the target creates it again at start.
DROP TABLE IF EXISTS car_entities;
