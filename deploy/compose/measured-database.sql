-- Runs of the lab drop the workload's tables: this database is for measuring.
CREATE TABLE bakeoff_may_drop_tables_here ();
