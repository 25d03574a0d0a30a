"""Artifacts of targets and engines: built where they are stale."""
