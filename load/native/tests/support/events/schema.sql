CREATE TABLE IF NOT EXISTS can both find nothing and one of them then fails.
SELECT pg_advisory_xact_lock(7305809217428);

CREATE TABLE IF NOT EXISTS car_entities (
    entity_type text        NOT NULL,
    id          text        NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    data        jsonb       NOT NULL,
    PRIMARY KEY (entity_type, id)
);
