"""Reads the gauges of a target's processes while a run goes on."""

import http.client
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from bakeoff.sampling.gauges import GaugeEndpoint, GaugeReadings, Reading, values_in

PERIOD_S = 0.25
_TIMEOUT_S = 1.0
_LARGEST_REPLY = 1 << 20
_ACCEPT = "text/plain;version=0.0.4, application/openmetrics-text;q=0.9"


@dataclass(frozen=True)
class GaugeReads:
    """How often the gauges of a process were read: `failed` of `attempts` read not all of them, lastly by `reason`."""

    process: str
    address: str
    attempts: int
    failed: int
    reason: str


class GaugeWatch:
    """Reads each process's gauges four times a second from entry to exit, on a connection and in a thread of its own.

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
        return [reader.reads() for reader in self._readers]

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
        self._attempts = self._failed = 0
        self._reason = ""
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._loop, name=f"gauges of {endpoint.process}", daemon=True)
        self.readings = {each.name: GaugeReadings(each.unit) for each in endpoint.gauges.values()}
        self.own_cpu_s = 0.0

    def reads(self) -> GaugeReads:
        return GaugeReads(self._endpoint.process, self._endpoint.address, self._attempts, self._failed, self._reason)

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
        self._attempts += 1
        try:
            values = values_in(self._text(), self._endpoint.gauges)
            missing = [name for name in self._endpoint.gauges if name not in values]
            for name, value in values.items():
                self.readings[self._endpoint.gauges[name].name].readings.append(Reading(time.time_ns(), value))
            reason = f"the reply has no value of {', '.join(missing)}" if missing else ""
        except _UnreadableError as error:
            reason = str(error)
        if reason:
            self._failed += 1
            self._reason = reason

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
