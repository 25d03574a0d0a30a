"""The record of a run: the values that measuring, storing, judging and reporting share, and their JSON document."""
