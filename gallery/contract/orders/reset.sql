-- Removes everything, for a target that the lab does not start: other runs have a database each.
DROP TABLE IF EXISTS order_lines, orders, customers;
