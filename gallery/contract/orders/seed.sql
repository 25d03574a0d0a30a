-- 10,000 customers, and as many orders as the setting says, of one to three lines each. Equal in every database, because
-- everything follows from the numbers: hashint8extended is the same on every machine, unlike random().
INSERT INTO customers (id, name, email, created_at)
SELECT n, 'Customer ' || n, 'customer-' || n || '@example.org', timestamptz '2024-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 10000) AS n;

-- Every order would look its customer up, and every line its order. The constraints check all rows at once below.
ALTER TABLE orders DROP CONSTRAINT orders_customer_id_fkey;
ALTER TABLE order_lines DROP CONSTRAINT order_lines_order_id_fkey;

-- Some customers order more than others, the first about 25 times as often as the middle one. Customers above 9,900 have
-- no order, so that conformance cases know what theirs are.
INSERT INTO orders (id, customer_id, status, total_cents, version, created_at)
SELECT n,
       1 + floor(9900 * power((hashint8extended(n, 1) & 1048575) / 1048576.0::float8, 1.5))::bigint,
       (ARRAY['new', 'paid', 'paid', 'shipped', 'shipped', 'shipped', 'shipped', 'cancelled'])[1 + (hashint8extended(n, 2) & 7)],
       (SELECT sum(line.quantity * line.price) FROM (
           SELECT 1 + (hashint8extended(n * 3 + p, 3) & 3) AS quantity, 100 + (hashint8extended(n * 3 + p, 4) & 8191) AS price
           FROM generate_series(0, n % 3) AS p) AS line),
       1,
       timestamptz '2025-01-01Z' + n * interval '30 seconds'
FROM generate_series(1, current_setting('bakeoff.seed_rows')::bigint) AS n;

INSERT INTO order_lines (order_id, position, sku, quantity, unit_price_cents)
SELECT n, p + 1, 'SKU-' || (hashint8extended(n * 3 + p, 5) & 16383),
       1 + (hashint8extended(n * 3 + p, 3) & 3), 100 + (hashint8extended(n * 3 + p, 4) & 8191)
FROM generate_series(1, current_setting('bakeoff.seed_rows')::bigint) AS n, generate_series(0, n % 3) AS p;

ALTER TABLE orders ADD CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers (id);
ALTER TABLE order_lines ADD CONSTRAINT order_lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE CASCADE;

-- What is stored from here on has greater ids: audit.sql tells it apart from the seed by them.
SELECT setval(pg_get_serial_sequence('customers', 'id'), 10000);
SELECT setval(pg_get_serial_sequence('orders', 'id'), 10000000);
