-- How often the write-ahead log was forced to disk so far, by the backends that serve clients and by all processes.
-- PostgreSQL 18 and newer count it by process.
SELECT
    coalesce(sum(fsyncs) FILTER (WHERE backend_type = 'client backend'), 0)::bigint AS by_clients,
    coalesce(sum(fsyncs), 0)::bigint AS by_all
FROM pg_stat_io
WHERE object = 'wal';
