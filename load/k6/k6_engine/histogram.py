"""HDR histograms as the result stream holds them: 1 ns to 1 h, 3 significant digits, V2 compressed, base64."""

from collections import Counter

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

LOWEST_NS = 1
HIGHEST_NS = 3_600_000_000_000
SIGNIFICANT_DIGITS = 3
_EXACT_BITS = 11  # HDR keeps 2 × 10³ sub-buckets: the upper eleven bits of a value


class Histogram:
    """Durations in nanoseconds. Equal buckets are counted before the slow part, HDR itself, sees them."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def add(self, durations_ns: NDArray[np.int64]) -> None:
        """Records durations; what lies outside the range counts at its end."""
        clipped = np.clip(durations_ns, LOWEST_NS, HIGHEST_NS)
        _, exponents = np.frexp(clipped.astype(np.float64))
        shifts = np.maximum(exponents.astype(np.int64) - _EXACT_BITS, 0)
        values, counts = np.unique(clipped >> shifts << shifts, return_counts=True)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            self._counts[value] += count

    def merge(self, other: "Histogram") -> None:
        """Adds what another histogram recorded."""
        self._counts.update(other._counts)

    def encode(self) -> str | None:
        """The compressed base64 text, None when nothing was recorded."""
        if not self._counts:
            return None
        histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)
        for value, count in self._counts.items():
            histogram.record_value(value, count)
        encoded: bytes = histogram.encode()
        return encoded.decode("ascii")
