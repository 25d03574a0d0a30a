-- A page of the users that match ($1 folded text of three characters or more, $2 offset, $3 limit), and their number
-- beside each; one row without a user for an empty page. The index on runs of three bytes finds candidates, strpos decides.
WITH found AS MATERIALIZED (
    SELECT id, name, email FROM users
    WHERE users_runs(name || E'\n' || email) @> users_runs($1)
      AND (strpos(lower(name COLLATE "C"), $1) > 0 OR strpos(lower(email COLLATE "C"), $1) > 0)
)
SELECT counted.total, page.id, page.name, page.email
FROM (SELECT count(*) AS total FROM found) AS counted
LEFT JOIN (SELECT id, name, email FROM found ORDER BY id OFFSET $2 LIMIT $3) AS page ON true
ORDER BY page.id
