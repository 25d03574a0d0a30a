"""CPU and memory of each role of a run, and gauges of a target: samples, and what they come to in a span of time."""

from dataclasses import dataclass
from typing import Annotated

import msgspec


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """One role's usage at one instant. `cpu_s` is cumulative.

    `memory_bytes` is resident memory, with the shared pages of the process that has most; `pss_bytes` is proportional
    memory, which is not asked for in every sample.
    """

    time_unix_ns: int
    role: Annotated[str, msgspec.Meta(pattern="^(target|database|engine)$")]
    cpu_s: float
    memory_bytes: int
    pss_bytes: int | None = None


@dataclass(frozen=True)
class Cost:
    """CPU and memory of one role in a span. CPU figures are None where the span is too short.

    `cpu_percent` is of one core; its peak is over the seconds of the span. `pss_peak_bytes` is the highest proportional
    memory that was seen, None where none was.
    """

    cpu_s: float | None
    cpu_percent_mean: float | None
    cpu_percent_peak: float | None
    memory_mean_bytes: float
    memory_peak_bytes: int
    pss_peak_bytes: int | None = None


@dataclass(frozen=True)
class Gauge:
    """One gauge in a span: the number of `readings`, their mean and the highest of them."""

    unit: str
    mean: float
    maximum: float
    readings: int


def cpu_us_each(cost: Cost | None, operations: int) -> float | None:
    """Microseconds of CPU for each acknowledged operation, or None where it is unknown."""
    if cost is None or cost.cpu_s is None or operations == 0:
        return None
    return cost.cpu_s * 1e6 / operations
