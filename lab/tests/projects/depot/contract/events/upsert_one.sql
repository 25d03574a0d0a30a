INSERT INTO stored (kind, key, data)
VALUES ($1, $2, $3::jsonb)
ON CONFLICT (kind, key) DO UPDATE SET data = stored.data || excluded.data
