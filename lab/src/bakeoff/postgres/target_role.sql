-- The role that targets connect as, in the connection's database: made, or made what it was. Settings that it kept are
-- gone; tables and functions that targets of another role have left become its own, so that it can change them.
DO $$
DECLARE
    found record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'bakeoff_target') THEN
        CREATE ROLE bakeoff_target;
    END IF;
    EXECUTE format(
        'ALTER ROLE bakeoff_target LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD %L',
        current_setting('bakeoff.target_password')
    );
    ALTER ROLE bakeoff_target RESET ALL;
    EXECUTE format('GRANT CREATE, TEMPORARY ON DATABASE %I TO bakeoff_target', current_database());
    GRANT CREATE, USAGE ON SCHEMA public TO bakeoff_target;
    -- Tables that the lab makes for targets that run already.
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO bakeoff_target;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO bakeoff_target;
    -- After a restart a target may be writing already: its own tables are left alone, as a lock on each would deadlock.
    FOR found IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tableowner <> 'bakeoff_target' LOOP
        EXECUTE format('ALTER TABLE public.%I OWNER TO bakeoff_target', found.tablename);
    END LOOP;
    -- Those of extensions stay theirs.
    FOR found IN
        SELECT oid::regprocedure AS routine FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND proowner <> 'bakeoff_target'::regrole AND NOT EXISTS (
            SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e'
        )
    LOOP
        EXECUTE format('ALTER ROUTINE %s OWNER TO bakeoff_target', found.routine);
    END LOOP;
END
$$;
