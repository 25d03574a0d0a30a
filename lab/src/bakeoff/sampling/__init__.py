"""The cost of a run: CPU and memory of target, database and engine, from the kernel's own counters."""
