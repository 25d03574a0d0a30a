-- The whole stored state, one row for each user: its id and what clients wrote.
SELECT ARRAY[id::text] AS key, jsonb_build_object('name', name, 'email', email) AS document
FROM users
ORDER BY id
