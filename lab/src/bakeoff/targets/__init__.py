"""Targets: found by their manifests, built when stale, started and stopped as processes."""
