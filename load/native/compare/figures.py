"""The figures of one run of a tool."""

from collections.abc import Mapping
from dataclasses import dataclass

PERCENTILES = (50, 90, 99)


@dataclass(frozen=True)
class Figures:
    """Requests answered in `seconds`, and percentiles of their latency in milliseconds where the tool reports them."""

    requests: int
    seconds: float
    latency_ms: Mapping[int, float]


@dataclass(frozen=True)
class Measured:
    """The figures, and the CPU that the tool's process and its children took for each request, start-up included."""

    figures: Figures
    cpu_us_each: float

    @property
    def per_second(self) -> float:
        return self.figures.requests / self.figures.seconds
