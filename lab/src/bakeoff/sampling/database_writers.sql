-- How many bytes of the write-ahead log each session of a client has written so far in its life. Sessions of the lab,
-- the parameter, are left out by their numbers: any client may have any name.
SELECT sessions.pid, written.wal_bytes
FROM pg_stat_activity AS sessions
LEFT JOIN LATERAL pg_stat_get_backend_wal(sessions.pid) AS written ON true
WHERE sessions.datname = current_database() AND sessions.backend_type = 'client backend'
    AND sessions.pid <> ALL(%s::integer[]);
