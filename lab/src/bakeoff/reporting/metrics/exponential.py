"""Latencies as an exponential histogram of OpenTelemetry, made from the buckets of an HdrHistogram."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.results.histograms import merge, summarise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Backends divide an octave into 256 parts at the most, as the native histograms of Prometheus do.
FINEST_SCALE = 8
MOST_BUCKETS = 320
_NS = 1e9


@dataclass(frozen=True)
class ExponentialBuckets:
    """Counts of latencies in seconds: bucket i holds those above base^(offset+i), up to base^(offset+i+1).

    The base is 2^(2^-scale). `zero_count` counts latencies of 0 s. `count` is that of all buckets.
    """

    scale: int
    offset: int
    counts: Sequence[int]
    zero_count: int
    count: int
    sum_s: float
    min_s: float
    max_s: float


def exponential_buckets(encoded: str) -> ExponentialBuckets:
    """The finest scale at which at most MOST_BUCKETS hold everything.

    Each latency counts in the bucket of the value by which reports name it, so that percentiles agree.
    """
    import numpy as np

    histogram = merge([encoded])
    latency = summarise(histogram)
    counts = np.frombuffer(histogram.counts, dtype=np.int64)
    recorded = np.flatnonzero(counts)
    values = [histogram.get_value_from_index(int(index)) for index in recorded]
    highest = np.array([histogram.get_highest_equivalent_value(value) for value in values], dtype=float)
    is_zero, counted = highest == 0, counts[recorded]
    scale, places = _placed(highest[~is_zero] / _NS)
    offset = int(places[0]) if places.size else 0
    return ExponentialBuckets(
        scale=scale,
        offset=offset,
        counts=np.bincount(places - offset, counted[~is_zero]).astype(int).tolist() if places.size else [],
        zero_count=int(counted[is_zero].sum()),
        count=latency.count,
        sum_s=latency.mean_ms * latency.count / 1e3,
        min_s=latency.min_ms / 1e3,
        max_s=latency.max_ms / 1e3,
    )


def _placed(seconds: "NDArray[np.float64]") -> tuple[int, "NDArray[np.int64]"]:
    """The scale, and the bucket of each of the ascending values."""
    scale = FINEST_SCALE
    places = _places(seconds, scale)
    while places.size and places[-1] - places[0] >= MOST_BUCKETS:
        scale -= 1
        places = _places(seconds, scale)
    return scale, places


def _places(seconds: "NDArray[np.float64]", scale: int) -> "NDArray[np.int64]":
    import numpy as np

    places = np.ceil(np.log2(seconds) * 2.0**scale) - 1
    # The logarithm is rounded: next to a boundary it may name the neighbour.
    places -= np.exp2(places / 2.0**scale) >= seconds
    places += np.exp2((places + 1) / 2.0**scale) < seconds
    return places.astype(np.int64)
