-- What PostgreSQL has counted so far in this database, cumulative. Backends report their counts within a second of
-- going idle, and at once when they end.
SELECT
    activity.xact_commit AS commits,
    activity.xact_rollback AS rollbacks,
    activity.blks_read AS blocks_read,
    activity.blks_hit AS blocks_hit,
    activity.deadlocks,
    activity.temp_bytes,
    coalesce(sum(tables.n_tup_ins), 0)::bigint AS rows_inserted,
    coalesce(sum(tables.n_tup_upd), 0)::bigint AS rows_updated,
    coalesce(sum(tables.n_tup_hot_upd), 0)::bigint AS rows_hot_updated,
    coalesce(sum(tables.n_tup_del), 0)::bigint AS rows_deleted
FROM pg_stat_database AS activity
LEFT JOIN pg_stat_user_tables AS tables ON true
WHERE activity.datname = current_database()
GROUP BY activity.datid, activity.xact_commit, activity.xact_rollback, activity.blks_read, activity.blks_hit,
    activity.deadlocks, activity.temp_bytes;
