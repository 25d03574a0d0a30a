-- Runs drop the workload's table: this database is for measuring.
CREATE TABLE bakeoff_may_drop_tables_here ();
