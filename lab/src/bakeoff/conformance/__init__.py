"""Proves that a running target does what its workload's vectors say."""
