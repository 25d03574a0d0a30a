-- Why commits on the nodes of a Citus cluster might not survive a crash, one row for each node with a reason: settings of
-- its server, and tables, shards among them, that are unlogged. A node that cannot be asked is a reason too.
SELECT format('On node %s of the cluster: %s', nodeid, result) AS problem
FROM run_command_on_all_nodes($$
    SELECT coalesce(string_agg(problem, ' '), '')
    FROM (
        SELECT format('%s is %s: acknowledged commits may be lost.', name, setting) AS problem
        FROM pg_settings
        WHERE (name IN ('fsync', 'full_page_writes') AND setting <> 'on')
            OR (name = 'synchronous_commit' AND setting = 'off')
        UNION ALL
        SELECT format('The table %I.%I is unlogged: a crash empties it.', namespaces.nspname, tables.relname)
        FROM pg_class AS tables
        JOIN pg_namespace AS namespaces ON namespaces.oid = tables.relnamespace
        WHERE tables.relkind IN ('r', 'p') AND tables.relpersistence = 'u'
    ) AS problems
$$)
WHERE NOT success OR result <> '';
