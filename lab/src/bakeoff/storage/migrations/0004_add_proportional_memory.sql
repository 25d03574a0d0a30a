-- Memory in which shared pages count in proportion to who shares them; sampled less often than the rest.
ALTER TABLE resource_metrics ADD COLUMN pss_bytes bigint;
