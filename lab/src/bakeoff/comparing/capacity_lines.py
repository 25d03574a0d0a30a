"""The result of a search for the highest rate, in lines."""

from collections.abc import Iterator, Sequence

from bakeoff.comparing.rate_search import Capacity
from bakeoff.judging.capacity_search import Interval
from bakeoff.judging.slo import Slo


def capacity_lines(capacity: Capacity, slo: Slo) -> Iterator[str]:
    """The result of a search, and a line for each finding that contradicts it."""
    limit, count = capacity.interval, len(capacity.trials)
    rate = "no rate" if limit.mean is None else f"{limit.mean:,.0f}/s"
    yield f"{capacity.target}: {rate} with {slo} ({_bounds(limit, ',.0f', '/s, ')}{count} trials)"
    if capacity.findings:
        yield "  The limit may not be the target's:"
    for found in capacity.findings:
        yield f"  at {found.rate_per_s:,.0f}/s: {found.finding.message} {found.finding.advice}"


def ratio_lines(capacities: Sequence[Capacity]) -> Iterator[str]:
    """The highest limit as a multiple of each other one, from the rounds that both were confirmed in."""
    best = max(capacities, key=lambda each: each.rate_per_s or 0.0, default=None)
    for other in capacities:
        if best is None or other is best or (ratio := best.ratio_to(other)).mean is None:
            continue
        is_open = ratio.low is None or ratio.low <= 1
        words = "the intervals leave open which of them is higher" if is_open else "paired confirmations"
        yield f"{best.target} ÷ {other.target}: {ratio.mean:.2f}× ({_bounds(ratio, '.2f', '×, ')}{words})"


def _bounds(interval: Interval, form: str, unit: str) -> str:
    if interval.low is None or interval.high is None:
        return ""
    return f"95 % interval {interval.low:{form}} to {interval.high:{form}}{unit}"
