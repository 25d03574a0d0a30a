"""The result of a search for the highest rate, in lines."""

from collections.abc import Iterator

from bakeoff.comparing.rate_search import Capacity
from bakeoff.judging.capacity_search import CONFIRMATIONS, Interval
from bakeoff.judging.slo import Slo


def capacity_lines(capacity: Capacity, slo: Slo) -> Iterator[str]:
    """The result of a search, and a line for each finding that contradicts it."""
    rate = "no rate" if capacity.rate_per_s is None else f"{capacity.rate_per_s:,.0f}/s"
    yield f"{capacity.target}: {rate} with {slo} ({_interval_words(capacity.interval)}{len(capacity.trials)} trials)"
    if capacity.findings:
        yield "  The limit may not be the target's:"
    for found in capacity.findings:
        yield f"  at {found.rate_per_s:,.0f}/s: {found.finding.message} {found.finding.advice}"


def _interval_words(interval: Interval) -> str:
    """The ends at which all confirmations agree."""
    held = f"held in all {CONFIRMATIONS} confirmations at {interval.low:,.0f}/s, " if interval.low else ""
    failed = f"failed in all {CONFIRMATIONS} at {interval.high:,.0f}/s, " if interval.high else ""
    return held + failed
