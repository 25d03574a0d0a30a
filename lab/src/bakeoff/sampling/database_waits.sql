-- What the backends of other clients are at: a wait event, or the CPU. `open` counts idle connections too.
SELECT
    CASE
        WHEN state <> 'active' THEN NULL
        WHEN wait_event IS NULL THEN 'CPU'
        ELSE wait_event_type || ':' || wait_event
    END AS at,
    count(*) AS backends
FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
GROUP BY 1;
