-- Tables whose rows a crash empties: unlogged and temporary ones.
SELECT format('%I.%I', namespaces.nspname, tables.relname) AS name
FROM pg_class AS tables
JOIN pg_namespace AS namespaces ON namespaces.oid = tables.relnamespace
WHERE tables.relkind IN ('r', 'p') AND tables.relpersistence <> 'p'
    AND namespaces.nspname NOT IN ('pg_catalog', 'information_schema')
ORDER BY 1;
