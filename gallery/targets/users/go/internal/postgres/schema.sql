-- Applied by every target at start, as one simple query and so as one transaction.
-- The lock makes targets that start at the same moment take turns: two concurrent
-- CREATE TABLE IF NOT EXISTS can both find nothing and one of them then fails.
SELECT pg_advisory_xact_lock(5120260716);

CREATE TABLE IF NOT EXISTS users (
    id         bigserial   PRIMARY KEY,
    name       text        NOT NULL,
    email      text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_email_key UNIQUE (email)
);

-- How many users there are by blocks of 2^level ids, so that neither a total nor a far page counts users one by one.
-- Large blocks lead to the small one in which a page begins. Each connection counts in its own rows (slot): concurrent
-- transactions never wait for each other's counts, and a sum over the slots is exact in every snapshot. A slot's count
-- alone may be negative.
CREATE TABLE IF NOT EXISTS user_counts (
    level smallint NOT NULL,
    block bigint   NOT NULL,
    slot  int      NOT NULL,
    users bigint   NOT NULL,
    PRIMARY KEY (level, block, slot)
) WITH (fillfactor = 50);

-- The changed rows are sorted, so that two transactions of one slot lock counts in the same order.
CREATE OR REPLACE FUNCTION users_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        DELETE FROM user_counts;
        RETURN NULL;
    END IF;
    INSERT INTO user_counts AS counts (level, block, slot, users)
    SELECT level, id >> level, pg_backend_pid() % 64, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
    FROM changed, (VALUES (10), (15)) AS levels (level) GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (level, block, slot) DO UPDATE SET users = counts.users + excluded.users;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER users_created AFTER INSERT ON users
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION users_count();
CREATE OR REPLACE TRIGGER users_deleted AFTER DELETE ON users
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION users_count();
CREATE OR REPLACE TRIGGER users_truncated AFTER TRUNCATE ON users
    FOR EACH STATEMENT EXECUTE FUNCTION users_count();

-- All runs of three bytes of a text, letters A to Z in lower case: what a query of three or more is looked up by. A text
-- that contains the query has all of its runs. PostgreSQL's own arrays and GIN do it without pg_trgm, which not every
-- server offers; numbers because they compare faster than texts. The loop is four times as fast as a query over
-- generate_series; repeated runs do no harm in the index.
CREATE OR REPLACE FUNCTION users_runs(searched text) RETURNS int[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    bytes CONSTANT bytea := convert_to(lower(searched COLLATE "C"), 'UTF8');
    run  int := 0;
    runs int[] := '{}';
BEGIN
    FOR place IN 0..length(bytes) - 1 LOOP
        run := ((run & 65535) << 8) | get_byte(bytes, place);
        IF place >= 2 THEN
            runs[place - 1] := run;
        END IF;
    END LOOP;
    RETURN runs;
END $$;

-- GIN collects the runs of new users and adds them many at a time (fastupdate, its default): seven times as cheap as each
-- at once. A query also looks at what has been collected since.
CREATE INDEX IF NOT EXISTS users_by_runs ON users USING gin (users_runs(name || E'\n' || email));
