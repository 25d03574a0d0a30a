-- A page of all users ($1 offset, $2 limit), and their number beside each; one row without a user for an empty page.
-- The counts lead to the block of 1,024 ids in which the page begins, so that at most that block's users are skipped.
WITH large AS MATERIALIZED (
    SELECT block, sum(users) AS users, sum(sum(users)) OVER (ORDER BY block) AS through
    FROM user_counts WHERE level = 15 GROUP BY block
), around AS MATERIALIZED (
    SELECT block << 5 AS block, through - users AS before
    FROM large WHERE through > $1 ORDER BY block LIMIT 1
), small AS MATERIALIZED (
    SELECT counts.block, sum(counts.users) AS users,
           around.before + sum(sum(counts.users)) OVER (ORDER BY counts.block) AS through
    FROM around
    JOIN user_counts AS counts ON level = 10 AND counts.block BETWEEN around.block AND around.block + 31
    GROUP BY counts.block, around.before
), start AS MATERIALIZED (
    SELECT block << 10 AS id, through - users AS before
    FROM small WHERE through > $1 ORDER BY block LIMIT 1
)
SELECT counted.total, page.id, page.name, page.email
FROM (SELECT coalesce(sum(users), 0)::bigint AS total FROM large) AS counted
LEFT JOIN (
    SELECT id, name, email FROM users
    WHERE id >= (SELECT id FROM start)
    ORDER BY id OFFSET (SELECT $1 - before FROM start) LIMIT $2
) AS page ON true
ORDER BY page.id
