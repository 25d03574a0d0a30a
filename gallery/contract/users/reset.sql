-- Gives a run fresh tables: the target creates them again at start.
DROP TABLE IF EXISTS users, user_counts;
