CREATE TABLE IF NOT EXISTS stored (kind text, key text, data jsonb NOT NULL, PRIMARY KEY (kind, key));
