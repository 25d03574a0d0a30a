-- Where the write-ahead log stands, in bytes, and how many checkpoints there have been. Exact at any moment.
SELECT pg_current_wal_insert_lsn() - '0/0' AS wal_bytes, checkpoints_timed + checkpoints_req AS checkpoints
FROM pg_stat_bgwriter;
