-- Stores one row ($1 entity_type, $2 id, $3 data as JSON text): the plainest statement that does what an event does.
-- No target uses it; the reference line of PostgreSQL without any API runs it, prepared.
INSERT INTO car_entities (entity_type, id, data)
VALUES ($1, $2, $3::jsonb)
ON CONFLICT (entity_type, id) DO UPDATE
SET data = car_entities.data || excluded.data,
    updated_at = excluded.updated_at
