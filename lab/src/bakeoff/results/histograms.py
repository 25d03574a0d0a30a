"""HDR histograms of the result stream: decoded, merged, asked for percentiles."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hdrh.histogram import HdrHistogram

# The one name of each percentile, wherever it is kept.
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p99.9": 99.9}
LATENCIES = ("min", "mean", *PERCENTILES, "max")
# Fewer samples beyond a percentile say nothing of it. The engine's own table has the same rule.
FEWEST_BEYOND = {"p99": 20, "p99.9": 100}
WHY_UNKNOWN = f"–: fewer than {' or '.join(f'{count} samples beyond {name}' for name, count in FEWEST_BEYOND.items())}"

_LOWEST_NS, _HIGHEST_NS, _DIGITS = 1, 3_600_000_000_000, 3
_MS = 1_000_000


@dataclass(frozen=True)
class Latency:
    """Latency of some requests, in milliseconds; `percentiles_ms` is keyed by PERCENTILES."""

    count: int
    mean_ms: float
    min_ms: float
    max_ms: float
    percentiles_ms: Mapping[str, float]

    def __post_init__(self) -> None:
        missing = [name for name in PERCENTILES if name not in self.percentiles_ms]
        if missing:
            raise ValueError(f"percentiles_ms has no {missing[0]}")

    @property
    def by_name(self) -> Mapping[str, float]:
        """All figures by LATENCIES, in milliseconds."""
        return {"min": self.min_ms, "mean": self.mean_ms, **self.percentiles_ms, "max": self.max_ms}

    @property
    def shown(self) -> Mapping[str, float | None]:
        """The same for people and files: None where too few requests have a latency, which is not zero."""
        return {name: value if is_known(name, self.count) else None for name, value in self.by_name.items()}


def is_known(name: str, count: int) -> bool:
    """Whether so many samples are enough for this figure of LATENCIES."""
    fewest = FEWEST_BEYOND.get(name)
    return count > 0 if fewest is None else count - _rank(PERCENTILES[name], count) >= fewest


def merge(encoded: Iterable[str | None]) -> "HdrHistogram":
    """One histogram out of many in the stream's encoding. Percentiles come from here, never from averages."""
    from hdrh.histogram import HdrHistogram

    merged = HdrHistogram(_LOWEST_NS, _HIGHEST_NS, _DIGITS)
    for text in encoded:
        if text:
            merged.decode_and_add(text)
    return merged


def encode(histogram: "HdrHistogram") -> str:
    """The stream's encoding of a histogram."""
    text = histogram.encode()
    return text.decode() if isinstance(text, bytes) else str(text)


def summarise(histogram: "HdrHistogram") -> Latency:
    """The figures people ask for.

    The library's own methods walk every bucket in Python, and round the rank of a percentile instead of rounding it up.
    """
    import numpy as np

    count = int(histogram.get_total_count())
    if count == 0:
        return Latency(0, 0.0, 0.0, 0.0, dict.fromkeys(PERCENTILES, 0.0))
    counts = np.frombuffer(histogram.counts, dtype=np.int64)
    recorded = np.flatnonzero(counts)
    values = [histogram.get_value_from_index(int(index)) for index in recorded]
    middles = np.array([_middle(histogram, value) for value in values], dtype=float)
    at = values_at(histogram, PERCENTILES.values())
    return Latency(
        count=count,
        mean_ms=float(middles @ counts[recorded]) / count / _MS,
        min_ms=histogram.get_min_value() / _MS,
        max_ms=histogram.get_max_value() / _MS,
        percentiles_ms={name: value / _MS for name, value in zip(PERCENTILES, at, strict=True)},
    )


def values_at(histogram: "HdrHistogram", percentiles: Iterable[float]) -> list[int]:
    """Percentiles in nanoseconds: the smallest value that at least so many of the samples do not exceed (nearest rank).

    The histogram holds at least one sample.
    """
    import numpy as np

    counts = np.frombuffer(histogram.counts, dtype=np.int64)
    recorded = np.flatnonzero(counts)
    reached = np.cumsum(counts[recorded])
    ranks = [_rank(percentile, int(reached[-1])) for percentile in percentiles]
    places = (histogram.get_value_from_index(int(recorded[np.searchsorted(reached, rank)])) for rank in ranks)
    return [histogram.get_highest_equivalent_value(value) for value in places]


def _rank(percentile: float, count: int) -> int:
    """Counted from 1, rounded up; in ten-billionths, because 7% of 100 as a float would be more than 7."""
    parts = 10**10
    return max(-(-round(percentile / 100 * parts) * count // parts), 1)


def _middle(histogram: "HdrHistogram", value: int) -> int:
    """The middle of the values that share a bucket with this lowest one of them, rounded down as the library does."""
    width: int = histogram.get_highest_equivalent_value(value) + 1 - value
    return value + width // 2
