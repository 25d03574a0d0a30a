-- The users with these ids ($1 id[]).
SELECT id, name, email FROM users WHERE id = ANY ($1::bigint[])
