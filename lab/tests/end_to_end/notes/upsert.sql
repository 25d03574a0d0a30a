INSERT INTO notes (id, data)
SELECT t.id, t.data::jsonb FROM unnest($1::text[], $2::text[]) AS t (id, data)
ON CONFLICT (id) DO UPDATE SET data = notes.data || excluded.data
