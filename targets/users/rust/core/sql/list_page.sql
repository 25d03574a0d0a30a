-- A page of all users ($1 offset, $2 limit), and their number beside each; one row without a user for an empty page.
-- The counts lead to the block of ids in which the page begins, so that at most that block's users are skipped.
WITH running AS MATERIALIZED (
    SELECT block, sum(users) AS users, sum(sum(users)) OVER (ORDER BY block) AS through
    FROM user_counts GROUP BY block
), start AS MATERIALIZED (
    SELECT block << 10 AS id, through - users AS before
    FROM running WHERE through > $1 ORDER BY block LIMIT 1
)
SELECT counted.total, page.id, page.name, page.email
FROM (SELECT coalesce(max(through), 0)::bigint AS total FROM running) AS counted
LEFT JOIN (
    SELECT id, name, email FROM users
    WHERE id >= (SELECT id FROM start)
    ORDER BY id OFFSET (SELECT $1 - before FROM start) LIMIT $2
) AS page ON true
ORDER BY page.id
