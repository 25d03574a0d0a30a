"""Stores the fastest contender of a comparison, by the rule of its verdict."""

from bakeoff.judging.judge import judge
from bakeoff.judging.verdict import fastest_of
from bakeoff.storage.metrics_store import MetricsStore
from bakeoff.storage.stored_runs import load_comparison


def store_fastest(store: MetricsStore, comparison_id: int) -> None:
    """Judges the stored runs again: call it when they have changed."""
    best = fastest_of(judge(load_comparison(store.server, comparison_id)))
    if best is None or best.peak_throughput_per_s is None:
        store.change_fastest(comparison_id, None, None)
    else:
        store.change_fastest(comparison_id, best.name, best.peak_throughput_per_s.median)
