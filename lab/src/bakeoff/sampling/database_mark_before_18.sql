-- How large the tables of this database are, with indexes and TOAST, and how often the log was forced to disk and how
-- long that took (0 without track_wal_io_timing). Backends report their flushes within a second.
SELECT
    (
        SELECT coalesce(sum(pg_total_relation_size(relid)), 0)::bigint FROM pg_stat_user_tables
    ) AS table_bytes,
    wal_sync AS fsyncs,
    wal_sync_time AS fsync_ms
FROM pg_stat_wal;
