"""Stored runs over time: lists, summaries, comparisons, clean-up, export and import, trends."""
