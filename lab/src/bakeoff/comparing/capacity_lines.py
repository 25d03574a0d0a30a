"""The result of a search for the highest rate, in lines."""

import math
from collections.abc import Iterator, Sequence

from bakeoff.comparing.rate_search import Capacity
from bakeoff.judging.capacity_search import Interval
from bakeoff.judging.slo import Slo
from bakeoff.text import ratios


def capacity_lines(capacity: Capacity, slo: Slo) -> Iterator[str]:
    """The result of a search, and a line for each finding that contradicts it."""
    limit, count = capacity.interval, len(capacity.trials)
    rate = "no rate" if limit.mean is None else f"{limit.mean:,.0f}/s"
    yield f"{capacity.target}: {rate} with {slo} ({_bounds(limit)}{count} trials)"
    if capacity.findings:
        yield "  The limit may not be the target's:"
    for found in capacity.findings:
        yield f"  at {found.rate_per_s:,.0f}/s: {found.finding.message} {found.finding.advice}"


def ratio_lines(capacities: Sequence[Capacity]) -> Iterator[str]:
    """The highest limit as a multiple of each other one, from the rounds that both were confirmed in."""
    best = max(capacities, key=lambda each: each.rate_per_s or 0.0, default=None)
    # Which one is best shows only afterwards, so that every two of them count.
    pairs = math.comb(len(capacities), 2)
    for other in capacities:
        if best is None or other is best or (ratio := best.ratio_to(other, pairs)).mean is None:
            continue
        is_higher = ratio.low is not None and ratio.low > 1
        words = "paired confirmations" if is_higher else "the intervals leave open which of them is higher"
        bounds = f"{_name(ratio)} {ratios.bounds(ratio.low, ratio.high, 0, ' to ')}×, " if ratio.low is not None else ""
        yield f"{best.target} ÷ {other.target}: {ratios.times(ratio.mean, differs=is_higher)} ({bounds}{words})"


def _bounds(rate: Interval) -> str:
    return "" if rate.low is None else f"{_name(rate)} {rate.low:,.0f} to {rate.high:,.0f}/s, "


def _name(interval: Interval) -> str:
    return f"{math.floor(round(100 * interval.confidence, 6))} % interval"
