-- The table as eight hash partitions by its primary key, each with its own index. Applied before schema.sql, which
-- then finds the table there. Columns, types and key are those of schema.sql.
CREATE TABLE car_entities (
    entity_type text        NOT NULL,
    id          text        NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    data        jsonb       NOT NULL,
    PRIMARY KEY (entity_type, id)
) PARTITION BY HASH (entity_type, id);

CREATE TABLE car_entities_0 PARTITION OF car_entities FOR VALUES WITH (MODULUS 8, REMAINDER 0);
CREATE TABLE car_entities_1 PARTITION OF car_entities FOR VALUES WITH (MODULUS 8, REMAINDER 1);
CREATE TABLE car_entities_2 PARTITION OF car_entities FOR VALUES WITH (MODULUS 8, REMAINDER 2);
CREATE TABLE car_entities_3 PARTITION OF car_entities FOR VALUES WITH (MODULUS 8, REMAINDER 3);
CREATE TABLE car_entities_4 PARTITION OF car_entities FOR VALUES WITH (MODULUS 8, REMAINDER 4);
CREATE TABLE car_entities_5 PARTITION OF car_entities FOR VALUES WITH (MODULUS 8, REMAINDER 5);
CREATE TABLE car_entities_6 PARTITION OF car_entities FOR VALUES WITH (MODULUS 8, REMAINDER 6);
CREATE TABLE car_entities_7 PARTITION OF car_entities FOR VALUES WITH (MODULUS 8, REMAINDER 7);
