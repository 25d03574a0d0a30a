"""What a run costs: CPU and memory of target, database and engine, from the kernel's own counters."""
