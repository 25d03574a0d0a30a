-- What the backends of other clients are at: a wait event, or the CPU; idle connections are counted too. Sessions of the
-- lab itself, the parameter, are left out by their numbers. PostgreSQL's own work at the same time has its own rows:
-- autovacuum, and a checkpoint.
SELECT
    CASE backend_type
        WHEN 'client backend' THEN 'sessions'
        WHEN 'autovacuum worker' THEN 'vacuum'
        ELSE 'checkpoint'
    END AS kind,
    CASE
        WHEN backend_type <> 'client backend' OR state <> 'active' THEN NULL
        WHEN wait_event IS NULL THEN 'CPU'
        ELSE wait_event_type || ':' || wait_event
    END AS at,
    count(*) AS backends
FROM pg_stat_activity
WHERE pid <> ALL(%s::integer[])
    AND (
        (datname = current_database() AND backend_type IN ('client backend', 'autovacuum worker'))
        OR (backend_type = 'checkpointer' AND wait_event IS DISTINCT FROM 'CheckpointerMain')
    )
GROUP BY 1, 2;
