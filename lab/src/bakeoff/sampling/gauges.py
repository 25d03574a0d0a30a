"""Gauges that processes show as Prometheus text: read while a run goes on, and what they came to in a span."""

import contextlib
import http.client
import math
import re
import ssl
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus

from bakeoff.results.cost import Gauge

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
        with contextlib.suppress(ValueError):
            if math.isfinite(value := float(written)):
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


PERIOD_S = 0.25
_TIMEOUT_S = 1.0
_LARGEST_REPLY = 1 << 20
_ACCEPT = "text/plain;version=0.0.4, application/openmetrics-text;q=0.9"


@dataclass
class GaugeReads:
    """How often the gauges of a process were read: `failed` of `attempts` read not all of them, lastly by `reason`."""

    process: str
    address: str
    attempts: int = 0
    failed: int = 0
    reason: str = ""


class GaugeWatch:
    """Reads each process's gauges four times a second from entry to exit, on its own connection and thread.

    So a process that answers late delays neither the others nor the samples of CPU and memory. `own_cpu_s` is the CPU
    time that reading has taken the lab. A reading is left out where it is not `wanted`.
    """

    def __init__(
        self,
        endpoints: Sequence[GaugeEndpoint],
        period_s: float = PERIOD_S,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self._readers = [_Reader(endpoint, period_s, wanted) for endpoint in endpoints]

    def __enter__(self) -> "GaugeWatch":
        for reader in self._readers:
            reader.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for reader in self._readers:
            reader.done.set()
        for reader in self._readers:
            reader.thread.join()

    @property
    def readings(self) -> dict[str, GaugeReadings]:
        """Every gauge's readings, by the name that the record gives it."""
        return {name: readings for reader in self._readers for name, readings in reader.readings.items()}

    @property
    def reads(self) -> list[GaugeReads]:
        """How reading went, of each process."""
        return [reader.reads for reader in self._readers]

    @property
    def own_cpu_s(self) -> float:
        return sum(reader.own_cpu_s for reader in self._readers)


class _UnreadableError(Exception):
    """Why a reply has no gauges."""


class _Reader:
    """The thread that reads one endpoint."""

    def __init__(self, endpoint: GaugeEndpoint, period_s: float, wanted: Callable[[], bool]) -> None:
        self._endpoint = endpoint
        self._wanted = wanted
        self._period_s = period_s
        self._connection = _connection(endpoint)
        self.reads = GaugeReads(endpoint.process, endpoint.address)
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._loop, name=f"gauges of {endpoint.process}", daemon=True)
        self.readings = {each.name: GaugeReadings(each.unit) for each in endpoint.gauges.values()}
        self.own_cpu_s = 0.0

    def _loop(self) -> None:
        next_at = time.monotonic()
        while True:
            if self._wanted():
                self._read()
            self.own_cpu_s = time.thread_time()
            # What became due while a reply was late is left out.
            next_at = max(next_at + self._period_s, time.monotonic())
            if self.done.wait(next_at - time.monotonic()):
                self._connection.close()
                return

    def _read(self) -> None:
        self.reads.attempts += 1
        try:
            values = values_in(self._text(), self._endpoint.gauges)
            missing = [name for name in self._endpoint.gauges if name not in values]
            for name, value in values.items():
                self.readings[self._endpoint.gauges[name].name].readings.append(Reading(time.time_ns(), value))
            reason = f"the reply has no value of {', '.join(missing)}" if missing else ""
        except _UnreadableError as error:
            reason = str(error)
        if reason:
            self.reads.failed += 1
            self.reads.reason = reason

    def _text(self) -> str:
        try:
            self._connection.request("GET", self._endpoint.path, headers={**self._endpoint.headers, "Accept": _ACCEPT})
            reply = self._connection.getresponse()
            body = reply.read(_LARGEST_REPLY + 1)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise _UnreadableError(getattr(error, "strerror", None) or str(error) or type(error).__name__) from error
        if reply.status == HTTPStatus.OK and len(body) <= _LARGEST_REPLY:
            return body.decode("utf-8", "replace")
        self._connection.close()
        is_large = reply.status == HTTPStatus.OK
        why = f"the reply is larger than {_LARGEST_REPLY:,} bytes" if is_large else f"the status was {reply.status}"
        raise _UnreadableError(why)


def _connection(endpoint: GaugeEndpoint) -> http.client.HTTPConnection:
    if endpoint.tls is None:
        return http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=_TIMEOUT_S)
    return http.client.HTTPSConnection(endpoint.host, endpoint.port, timeout=_TIMEOUT_S, context=endpoint.tls)
