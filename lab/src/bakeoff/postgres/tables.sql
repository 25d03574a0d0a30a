-- Every table of this database, partitions included, by the number that only this very table has.
SELECT tables.oid, format('%I.%I', namespaces.nspname, tables.relname) AS name
FROM pg_class AS tables
JOIN pg_namespace AS namespaces ON namespaces.oid = tables.relnamespace
WHERE tables.relkind IN ('r', 'p') AND tables.relpersistence <> 't'
    AND namespaces.nspname NOT IN ('pg_catalog', 'information_schema')
ORDER BY 2;
