"""Gauges that a process shows as Prometheus text: where, their values, and what those came to in a span."""

import math
import re
import ssl
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from bakeoff.results.gauge import Gauge

# A name with labels or without; in the values of labels quotes and backslashes are escaped.
_LABELS = r'[ \t]*\{(?:[^"}\n]|"(?:[^"\\\n]|\\.)*")*\}[ \t]*'


@dataclass(frozen=True)
class NamedGauge:
    """The name of a gauge in a run's record, and the unit of its values."""

    name: str
    unit: str


@dataclass(frozen=True)
class GaugeEndpoint:
    """Where a process shows its gauges, and which of them are read, by their names there.

    `tls` is None for plain text. `headers` go with each request; they may hold a token.
    """

    process: str
    host: str
    port: int
    path: str
    gauges: Mapping[str, NamedGauge]
    tls: ssl.SSLContext | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def address(self) -> str:
        return f"http{'' if self.tls is None else 's'}://{self.host}:{self.port}{self.path}"


@dataclass(frozen=True)
class Reading:
    """The value of a gauge at one instant."""

    time_unix_ns: int
    value: float


@dataclass
class GaugeReadings:
    """Every reading of one gauge, in the order of time."""

    unit: str
    readings: list[Reading] = field(default_factory=list)


def values_in(text: str, names: Collection[str]) -> dict[str, float]:
    """The values of these gauges in Prometheus or OpenMetrics text. Series of one name are added up.

    A gauge that the text does not show, or shows as no finite number, is not in the result. Other lines cost next to
    nothing: a target may show hundreds of them.
    """
    values: dict[str, float] = {}
    for name, written in _lines_of(frozenset(names)).findall(text):
        value = _finite(written)
        if value is not None:
            values[name] = values.get(name, 0.0) + value
    return values


def gauge_between(gauge: GaugeReadings, begin_ns: int, end_ns: int) -> Gauge | None:
    """A gauge from one instant to another, or None where it was not read meanwhile."""
    values = [each.value for each in gauge.readings if begin_ns <= each.time_unix_ns <= end_ns]
    return Gauge(gauge.unit, math.fsum(values) / len(values), max(values), len(values)) if values else None


def gauge_of_spans(parts: Sequence[tuple[Gauge, float]]) -> Gauge:
    """At least one gauge, each with the seconds of its span, as one: the mean is over time."""
    gauges = [gauge for gauge, _ in parts]
    seconds = sum(span_s for _, span_s in parts)
    weights = [span_s / seconds if seconds > 0 else 1 / len(parts) for _, span_s in parts]
    return Gauge(
        unit=gauges[0].unit,
        mean=sum(gauge.mean * weight for gauge, weight in zip(gauges, weights, strict=True)),
        maximum=max(gauge.maximum for gauge in gauges),
        readings=sum(gauge.readings for gauge in gauges),
    )


@cache
def _lines_of(names: frozenset[str]) -> re.Pattern[str]:
    one_of = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf"^[ \t]*({one_of})(?:{_LABELS}|[ \t]+)(\S+)", re.MULTILINE)


def _finite(written: str) -> float | None:
    try:
        value = float(written)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
