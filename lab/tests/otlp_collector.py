"""A collector that takes metrics by OTLP over HTTP, in a few lines, and answers as a test wants."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsPartialSuccess,
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import ExponentialHistogramDataPoint, Metric

Answer = Callable[[BaseHTTPRequestHandler, threading.Event], None]
Attributes = dict[str, str | int]


@dataclass
class Collector:
    """Where it listens, and the requests that it received with the path and headers of each."""

    port: int
    received: list[tuple[str, dict[str, str], ExportMetricsServiceRequest]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def resources(self) -> list[tuple[Attributes, dict[str, Metric]]]:
        """The attributes of each resource, and its metrics by name."""
        found = [each for _, _, request in self.received for each in request.resource_metrics]
        return [
            (
                attributes_of(each.resource),
                {metric.name: metric for scope in each.scope_metrics for metric in scope.metrics},
            )
            for each in found
        ]


def attributes_of(holder: Any) -> Attributes:
    """Of a resource or a point."""
    named = ((each.key, each.value) for each in holder.attributes)
    return {name: value.int_value if value.HasField("int_value") else value.string_value for name, value in named}


def replying(status: int, message: bytes = b"", **headers: str) -> Answer:
    """The status, and this body."""

    def answer(handler: BaseHTTPRequestHandler, _end: threading.Event) -> None:
        handler.send_response(status)
        for name, value in {"content-type": "application/x-protobuf", **headers}.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(message)))
        handler.end_headers()
        handler.wfile.write(message)

    return answer


def rejecting(count: int, reason: str) -> Answer:
    """Success in part."""
    partial = ExportMetricsPartialSuccess(rejected_data_points=count, error_message=reason)
    return replying(200, ExportMetricsServiceResponse(partial_success=partial).SerializeToString())


def silent(_handler: BaseHTTPRequestHandler, end: threading.Event) -> None:
    """No reply until the test ends."""
    end.wait()


def endless(handler: BaseHTTPRequestHandler, end: threading.Event) -> None:
    """A reply whose body comes byte by byte until the test ends."""
    handler.send_response(200)
    handler.send_header("content-length", "1000000")
    handler.end_headers()
    while not end.wait(0.01):
        handler.wfile.write(b".")
        handler.wfile.flush()


@contextmanager
def collecting(answer: Answer) -> Iterator[Collector]:
    """Serves until the end of the block."""
    end = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            collector.received.append((self.path, headers, ExportMetricsServiceRequest.FromString(body)))
            answer(self, end)

        def log_message(self, format: str, *words: object) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                # The client has given up.
                return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector = Collector(server.server_port)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    try:
        yield collector
    finally:
        end.set()
        server.shutdown()
        serving.join()
        server.server_close()


def bounds_at(point: ExponentialHistogramDataPoint, percentile: float) -> tuple[float, float]:
    """The bounds in seconds of the bucket that holds the percentile (nearest rank)."""
    rank = max(-(-round(percentile * 10**8) * point.count // 10**10), 1)
    base = 2.0 ** (2.0**-point.scale)
    reached = point.zero_count
    if reached >= rank:
        return -1.0, 0.0
    for place, count in enumerate(point.positive.bucket_counts, point.positive.offset):
        reached += count
        if reached >= rank:
            return base**place, base ** (place + 1)
    raise AssertionError("the counts of the buckets are fewer than the count")
