"""Slow and hostile connections: kinds declared as data, and the trial that a target must hold under each."""
