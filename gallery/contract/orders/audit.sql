-- The orders that are not the seed's: their id, and what clients wrote. The status appears once a client has changed it.
-- A total that is not the sum of the lines, or a version below 1, shows as a member that no order may have.
SELECT ARRAY[o.id::text] AS key,
       jsonb_build_object('customerId', o.customer_id, 'lines', coalesce(l.lines, '[]'))
           || CASE WHEN o.version > 1 THEN jsonb_build_object('status', o.status) ELSE '{}' END
           || CASE WHEN o.total_cents IS DISTINCT FROM l.total_cents THEN jsonb_build_object('wrongTotalCents', o.total_cents) ELSE '{}' END
           || CASE WHEN o.version < 1 OR (o.version = 1 AND o.status <> 'new') THEN jsonb_build_object('wrongVersion', o.version) ELSE '{}' END
       AS document
FROM orders AS o
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('sku', sku, 'quantity', quantity, 'unitPriceCents', unit_price_cents) ORDER BY position) AS lines,
           sum(quantity::bigint * unit_price_cents) AS total_cents
    FROM order_lines WHERE order_id = o.id
) AS l ON true
WHERE o.id > 10000000
ORDER BY o.id
