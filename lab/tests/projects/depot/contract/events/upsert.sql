-- Rows of ($1 kind[], $2 key[], $3 data[] as JSON text).
INSERT INTO stored (kind, key, data)
SELECT t.kind, t.key, t.data::jsonb
FROM unnest($1::text[], $2::text[], $3::text[]) AS t (kind, key, data)
ON CONFLICT (kind, key) DO UPDATE SET data = stored.data || excluded.data
