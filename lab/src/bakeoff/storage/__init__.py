"""The metrics database: every run, its phases, its cost and its findings, for as long as people want to compare."""
