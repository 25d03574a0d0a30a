-- Deletes users ($1 id[]) and returns the ids of those that existed.
DELETE FROM users WHERE id = ANY ($1::bigint[]) RETURNING id
