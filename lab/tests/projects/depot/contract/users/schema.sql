CREATE TABLE IF NOT EXISTS users (
    id text PRIMARY KEY DEFAULT gen_random_uuid()::text, name text NOT NULL, email text NOT NULL
);
