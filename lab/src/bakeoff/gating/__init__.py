"""The guard of a pipeline: is this measurement worse than that one, and does it reach what was promised?"""
