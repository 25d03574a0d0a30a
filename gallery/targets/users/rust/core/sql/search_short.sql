-- As search.sql, for a text of one or two characters, which the index does not know: every user is looked at.
WITH found AS MATERIALIZED (
    SELECT id, name, email FROM users
    WHERE strpos(lower(name COLLATE "C"), $1) > 0 OR strpos(lower(email COLLATE "C"), $1) > 0
)
SELECT counted.total, page.id, page.name, page.email
FROM (SELECT count(*) AS total FROM found) AS counted
LEFT JOIN (SELECT id, name, email FROM found ORDER BY id OFFSET $2 LIMIT $3) AS page ON true
ORDER BY page.id
