"""Learns from a running service what its description cannot say."""
