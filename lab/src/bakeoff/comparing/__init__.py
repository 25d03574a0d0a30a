"""Comparisons: requests, experiments, the order of turns, rounds of runs, resuming, the search for a rate."""
