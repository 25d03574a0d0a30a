-- Changes users ($1 id[], $2 name[], $3 email[]) and returns the ids of those that exist; null keeps a value.
UPDATE users
SET name = coalesce(t.name, users.name), email = coalesce(t.email, users.email), updated_at = now()
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS t (id, name, email)
WHERE users.id = t.id
RETURNING users.id
