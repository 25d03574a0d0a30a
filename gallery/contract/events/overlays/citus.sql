-- The table distributed over the nodes of a Citus cluster by the entity's id: applied after schema.sql, which has made
-- it. Which nodes there are is the server's own business. The distribution column must be one of the primary key's.
SELECT create_distributed_table('car_entities', 'id');
