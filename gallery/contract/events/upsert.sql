-- Stores rows of ($1 entity_type[], $2 id[], $3 data[] as JSON text). No (entity_type, id) pair may occur
-- twice, and rows come sorted by that pair, so that concurrent statements lock rows in the same order.
-- || merges shallowly: a member of the new object replaces the stored one, null included. The time is the default of the
-- new row, since distributed tables (Citus) take no function here whose result may change.
INSERT INTO car_entities (entity_type, id, data)
SELECT t.entity_type, t.id, t.data::jsonb
FROM unnest($1::text[], $2::text[], $3::text[]) AS t (entity_type, id, data)
ON CONFLICT (entity_type, id) DO UPDATE
SET data = car_entities.data || excluded.data,
    updated_at = excluded.updated_at
