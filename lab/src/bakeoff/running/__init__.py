"""Runs: one target, one mode, one payload, on a fresh database."""
