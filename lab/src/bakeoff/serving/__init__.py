"""A small web application over the metrics database: comparisons, runs, trends, overlays, and what runs now."""
