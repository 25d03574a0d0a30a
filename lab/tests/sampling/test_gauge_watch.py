"""Reading gauges of real HTTP servers: what is kept, what fails, and that nothing of it ends a run."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bakeoff.sampling.gauges import GaugeEndpoint, GaugeReads, GaugeWatch, NamedGauge

GAUGES = {"in_flight": NamedGauge("requests in flight", "requests"), "waiting": NamedGauge("queue", "calls")}
AT_ONCE_S = 0.0


class Exporter:
    """Answers the n-th request, from 0, with a status and a text. `connections` counts those that were opened."""

    def __init__(self, port: int, connections: set[object]) -> None:
        self.port = port
        self.requests: list[BaseHTTPRequestHandler] = []
        self.connections = connections
        self._arrived = threading.Condition()

    def arrived(self, request: BaseHTTPRequestHandler) -> int:
        with self._arrived:
            self.requests.append(request)
            self.connections.add(request.client_address)
            self._arrived.notify_all()
            return len(self.requests) - 1

    def wait_for(self, requests: int) -> None:
        """Until so many arrived: the answers of all but the last have been read then."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.requests) >= requests, timeout=60)

    def endpoint(self, **changes: object) -> GaugeEndpoint:
        values = {"process": "gateway 0", "host": "127.0.0.1", "port": self.port, "path": "/metrics", "gauges": GAUGES}
        return GaugeEndpoint(**{**values, **changes})  # type: ignore[arg-type]


@contextlib.contextmanager
def exporter(reply: Callable[[int], tuple[int, bytes]]) -> Iterator[Exporter]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, body = reply(exporting.arrived(self))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        exporting = Exporter(server.server_port, set())
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield exporting
        finally:
            server.shutdown()
            thread.join()


def text(in_flight: int, waiting: int) -> bytes:
    return f"in_flight {in_flight}\nwaiting {waiting}\n# EOF\n".encode()


def test_each_reading_is_kept_and_all_come_over_one_connection() -> None:
    with exporter(lambda number: (200, text(number, 10 * number))) as exporting:
        watch = GaugeWatch([exporting.endpoint(headers={"Authorization": "Bearer t"})], AT_ONCE_S)
        with watch:
            exporting.wait_for(4)
    readings = watch.readings
    assert list(readings) == ["requests in flight", "queue"]
    assert [each.value for each in readings["requests in flight"].readings[:3]] == [0, 1, 2]
    assert [each.value for each in readings["queue"].readings[:3]] == [0, 10, 20]
    assert readings["queue"].unit == "calls"
    times = [each.time_unix_ns for each in readings["queue"].readings]
    assert times == sorted(times)
    (reads,) = watch.reads
    assert (reads.attempts, reads.failed) == (len(times), 0)
    assert watch.own_cpu_s > 0
    assert len(exporting.connections) == 1
    assert exporting.requests[0].path == "/metrics"
    assert exporting.requests[0].headers["Authorization"] == "Bearer t"


def test_each_process_is_read_by_itself() -> None:
    with exporter(lambda _: (200, text(1, 0))) as one, exporter(lambda _: (200, text(2, 0))) as other:
        own = {"in_flight": NamedGauge("gateway 1: requests in flight", "requests")}
        watch = GaugeWatch([one.endpoint(), other.endpoint(process="gateway 1", gauges=own)], AT_ONCE_S)
        with watch:
            one.wait_for(2)
            other.wait_for(2)
    readings = watch.readings
    assert {each.value for each in readings["requests in flight"].readings} == {1}
    assert {each.value for each in readings["gateway 1: requests in flight"].readings} == {2}
    assert [each.process for each in watch.reads] == ["gateway 0", "gateway 1"]


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, b"not found", "the status was 404"),
        (200, b"in_flight 5\n", "the reply has no value of waiting"),
        (200, b"\xff\xfe", "the reply has no value of in_flight, waiting"),
        (200, b" " * ((1 << 20) + 1), "the reply is larger than 1,048,576 bytes"),
    ],
)
def test_what_is_no_answer_is_counted_with_its_reason(status: int, body: bytes, reason: str) -> None:
    with exporter(lambda _: (status, body)) as exporting:
        with GaugeWatch([exporting.endpoint()], AT_ONCE_S) as watch:
            exporting.wait_for(3)
        (reads,) = watch.reads
        address = f"http://127.0.0.1:{exporting.port}/metrics"
    assert reads == GaugeReads("gateway 0", address, reads.attempts, reads.attempts, reason)
    assert watch.readings["queue"].readings == []


def test_after_a_failure_it_reads_on() -> None:
    def reply(number: int) -> tuple[int, bytes]:
        return (503, b"") if number < 2 else (200, text(7, 0))

    with exporter(reply) as exporting, GaugeWatch([exporting.endpoint()], AT_ONCE_S) as watch:
        exporting.wait_for(5)
    (reads,) = watch.reads
    assert (reads.failed, reads.reason) == (2, "the status was 503")
    assert {each.value for each in watch.readings["requests in flight"].readings} == {7}


def test_where_nothing_listens_is_a_failure_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    endpoint = Exporter(port, set()).endpoint()
    with GaugeWatch([endpoint]) as watch:
        pass
    (reads,) = watch.reads
    assert (reads.attempts, reads.failed, reads.reason) == (1, 1, "Connection refused")


def test_without_endpoints_nothing_is_read() -> None:
    with GaugeWatch([]) as watch:
        pass
    assert (watch.readings, watch.reads, watch.own_cpu_s) == ({}, [], 0)
