-- Changes users ($1 id[], $2 name[], $3 email[]) and returns the ids of those that exist; null keeps a value.
-- The ids a second time: with the join alone a plan that was kept from a small table reads the whole of it.
UPDATE users
SET name = coalesce(t.name, users.name), email = coalesce(t.email, users.email), updated_at = now()
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS t (id, name, email)
WHERE users.id = t.id AND users.id = ANY ($1::bigint[])
RETURNING users.id
