-- Stores new users ($1 name[], $2 email[]) and returns the ids of those whose e-mail address is new.
-- Rows come sorted by e-mail address, so that concurrent statements wait for each other in the same order.
INSERT INTO users (name, email)
SELECT t.name, t.email
FROM unnest($1::text[], $2::text[]) AS t (name, email)
ON CONFLICT (email) DO NOTHING
RETURNING id, email
