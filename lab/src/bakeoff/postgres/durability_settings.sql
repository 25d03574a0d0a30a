-- Every value of a setting that decides whether an acknowledged commit survives a crash, wherever it is set: the
-- server's own, and what databases and roles override it with.
SELECT name, setting AS value, 'the server' AS place
FROM pg_settings
WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')
UNION ALL
SELECT split_part(entry, '=', 1), split_part(entry, '=', 2),
    coalesce('role ' || roles.rolname, 'every role') || coalesce(' in database ' || databases.datname, '')
FROM pg_db_role_setting AS overrides
CROSS JOIN LATERAL unnest(overrides.setconfig) AS entry
LEFT JOIN pg_roles AS roles ON roles.oid = overrides.setrole
LEFT JOIN pg_database AS databases ON databases.oid = overrides.setdatabase
WHERE split_part(entry, '=', 1) IN ('fsync', 'synchronous_commit', 'full_page_writes')
    AND (overrides.setdatabase = 0 OR databases.datname = current_database())
ORDER BY name, place;
