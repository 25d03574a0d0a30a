"""Workloads: what is sent, compiled from `workload.toml` into the plan that engines follow."""
