-- Views and foreign tables of targets, which the statement that drops a workload's tables would refuse where one has
-- the name of a table. A crash keeps a target from dropping its own.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT
            CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'FOREIGN TABLE' END AS kind,
            format('%s.%I', relnamespace::regnamespace, relname) AS name
        FROM pg_class
        WHERE relkind IN ('v', 'm', 'f') AND relowner = 'bakeoff_target'::regrole
    LOOP
        EXECUTE format('DROP %s IF EXISTS %s CASCADE', found.kind, found.name);
    END LOOP;
END
$$;
