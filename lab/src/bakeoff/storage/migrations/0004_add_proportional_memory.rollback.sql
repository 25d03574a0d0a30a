ALTER TABLE resource_metrics DROP COLUMN pss_bytes;
