"""Makes the folders of a new workload and its first target, ready to be edited."""
