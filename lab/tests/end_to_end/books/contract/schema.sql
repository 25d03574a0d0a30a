SELECT pg_advisory_xact_lock(731904);

CREATE TABLE IF NOT EXISTS books (
    id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    title text    NOT NULL,
    pages integer NOT NULL
);
