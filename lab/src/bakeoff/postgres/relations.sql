-- Every relation of this database that can be read like a table, partitions included: its number, its name, its kind
-- and persistence as in pg_class, and its columns with their types. Temporary ones of sessions are left out.
SELECT
    relations.oid,
    format('%I.%I', namespaces.nspname, relations.relname) AS name,
    relations.relkind::text AS kind,
    relations.relpersistence::text AS persistence,
    coalesce(
        array_agg(
            format('%I %s', columns.attname, format_type(columns.atttypid, columns.atttypmod))
            || CASE WHEN columns.attgenerated = '' THEN '' ELSE ', generated' END
            ORDER BY columns.attnum
        ) FILTER (WHERE columns.attnum > 0 AND NOT columns.attisdropped), '{}'
    ) AS columns
FROM pg_class AS relations
JOIN pg_namespace AS namespaces ON namespaces.oid = relations.relnamespace
LEFT JOIN pg_attribute AS columns ON columns.attrelid = relations.oid
WHERE relations.relkind IN ('r', 'p', 'v', 'm', 'f') AND relations.relpersistence <> 't'
    AND namespaces.nspname NOT IN ('pg_catalog', 'information_schema')
GROUP BY relations.oid, namespaces.nspname, relations.relname, relations.relkind, relations.relpersistence
ORDER BY 2;
