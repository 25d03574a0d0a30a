"""Engines: load generators, driven by a plan and read through their result stream."""
