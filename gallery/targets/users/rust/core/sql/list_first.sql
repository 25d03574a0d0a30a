-- The first page of all users ($1 limit), and their number beside each; one row without a user for an empty page.
SELECT counted.total, page.id, page.name, page.email
FROM (SELECT coalesce(sum(users), 0)::bigint AS total FROM user_counts WHERE level = 15) AS counted
LEFT JOIN (SELECT id, name, email FROM users ORDER BY id LIMIT $1) AS page ON true
ORDER BY page.id
