CREATE TABLE stored (kind text, key text, data jsonb NOT NULL, PRIMARY KEY (kind, key)) PARTITION BY HASH (kind, key);
CREATE TABLE stored_0 PARTITION OF stored FOR VALUES WITH (MODULUS 1, REMAINDER 0);
