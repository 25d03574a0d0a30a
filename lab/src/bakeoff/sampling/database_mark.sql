-- How large the tables of this database are, with indexes and TOAST, how often the log was forced to disk and how long
-- that took (0 without track_wal_io_timing), and what was written so far. Where the log's file is opened for synchronous
-- writes, each write is a flush. Backends report what they did within a second.
SELECT
    (
        SELECT coalesce(sum(pg_total_relation_size(relid)), 0)::bigint FROM pg_stat_user_tables
    ) AS table_bytes,
    coalesce(sum(fsyncs), 0)::bigint AS fsyncs,
    coalesce(sum(fsync_time), 0)::double precision AS fsync_ms,
    (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS transactions,
    (
        SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint FROM pg_stat_user_tables
    ) AS rows,
    coalesce(
        sum(CASE WHEN current_setting('wal_sync_method') LIKE 'open%' THEN writes ELSE fsyncs END)
        FILTER (WHERE backend_type = 'client backend'), 0
    )::bigint AS client_flushes,
    (SELECT coalesce(sum(autovacuum_count), 0)::bigint FROM pg_stat_user_tables) AS autovacuums
FROM pg_stat_io
WHERE object = 'wal';
