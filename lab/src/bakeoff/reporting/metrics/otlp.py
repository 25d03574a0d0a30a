"""Measured phases as OpenTelemetry metrics, sent to a collector by OTLP over HTTP.

Every series is cumulative, begins with its phase and has one point, at the phase's end: its attributes are its own.
"""

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import requests
from google.protobuf.message import DecodeError
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Buckets,
    ExponentialHistogram,
    ExponentialHistogramDataPoint,
    Gauge,
    Metric,
    MetricExportResult,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from bakeoff import __version__
from bakeoff.reporting.metrics.exponential import exponential_buckets
from bakeoff.reporting.metrics.phases import FAMILIES, GRPC, KIND, STATUS, Family, Labels, MeasuredPhase
from bakeoff.reporting.numbers import plural

TIMEOUT_S = 10.0
# The exporter ends by itself at the timeout, unless a reply never ends.
_GRACE_S = 1.0
_LONGEST_REASON = 200
_SCOPE = InstrumentationScope("bakeoff", __version__)
# Names of the semantic conventions; other labels are the project's own.
_NAMES = {
    "target": "service.name",
    "commit": "vcs.ref.head.revision",
    "url": "url.full",
    "address": "server.address",
    "port": "server.port",
    "method": "http.request.method",
    "rpc_method": "rpc.method",
    KIND: "error.type",
}
_HTTP_STATUS, _RPC_STATUS, _RPC_SYSTEM = "http.response.status_code", "rpc.response.status_code", "rpc.system.name"
_INTEGERS = ("server.port", _HTTP_STATUS)
_DURATIONS = {False: "http.client.request.duration", True: "rpc.client.call.duration"}
_DURATION_HELP = "Time to the reply; in the open model from the instant at which the request was due."
_OPERATION = "operation"

# The outcome is reported once, in the project's words.
logging.getLogger("opentelemetry").addHandler(logging.NullHandler())


def metrics_data(phases: Sequence[MeasuredPhase]) -> MetricsData:
    """The phases in the exporter's form: a resource for each source."""
    by_source: dict[frozenset[tuple[str, str]], list[MeasuredPhase]] = {}
    for phase in phases:
        by_source.setdefault(frozenset(phase.source.items()), []).append(phase)
    return MetricsData([_resource(of_source) for of_source in by_source.values()])


def send(phases: Sequence[MeasuredPhase], endpoint: str, timeout_s: float = TIMEOUT_S) -> str | None:
    """Sends the metrics and waits for the reply, not longer than the timeout. Why it was not accepted, or None."""
    outcome: list[str | None] = []
    data = metrics_data(phases)
    # A thread, because nothing else bounds a reply that comes byte by byte.
    sending = threading.Thread(target=lambda: outcome.append(_sent(data, endpoint, timeout_s)), daemon=True)
    sending.start()
    sending.join(timeout_s + _GRACE_S)
    return outcome[0] if outcome else _late(timeout_s)


def _sent(data: MetricsData, endpoint: str, timeout_s: float) -> str | None:
    with _Session(timeout_s) as session:
        exporter = OTLPMetricExporter(endpoint=endpoint, timeout=timeout_s, session=session)
        result = exporter.export(data)
    if result is MetricExportResult.SUCCESS or session.problem:
        return session.problem
    return "the metrics could not be encoded"


class _Session(requests.Session):
    """Keeps the problem of the last request, which the exporter does not return."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__()
        self.problem: str | None = None
        self._timeout_s = timeout_s

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        try:
            reply = super().send(request, **options)
        except requests.Timeout:
            self.problem = _late(self._timeout_s)
            raise
        except requests.RequestException as error:
            self.problem = _reason(error)
            raise
        self.problem = _problem_of(reply)
        return reply


def _late(timeout_s: float) -> str:
    return f"no reply within {timeout_s:g} s"


def _reason(error: BaseException) -> str:
    """The first cause, in the words of the system."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return str(getattr(error, "strerror", None) or error)


def _problem_of(reply: requests.Response) -> str | None:
    # The exporter takes a redirection for success.
    if reply.status_code >= HTTPStatus.MULTIPLE_CHOICES:
        return _in_a_line(f"{reply.status_code} {reply.reason}")
    if not reply.headers.get("content-type", "").startswith("application/x-protobuf"):
        return None
    try:
        partial = ExportMetricsServiceResponse.FromString(reply.content).partial_success
    except DecodeError:
        return None
    if not partial.rejected_data_points:
        return None
    reason = _in_a_line(partial.error_message) or "without a reason"
    return f"{plural(partial.rejected_data_points, 'data point')} rejected ({reason})"


def _in_a_line(text: str) -> str:
    """What a collector says, as a terminal may show it."""
    return "".join(each if each.isprintable() else " " for each in text[:_LONGEST_REASON]).strip()


def _resource(phases: Sequence[MeasuredPhase]) -> ResourceMetrics:
    metrics = [*_numbers(phases), *_durations(phases)]
    return ResourceMetrics(Resource(_attributes(phases[0].source)), [ScopeMetrics(_SCOPE, metrics, "")], "")


def _numbers(phases: Sequence[MeasuredPhase]) -> Iterator[Metric]:
    for family in FAMILIES:
        points = [_number(phase, *figure) for phase in phases for figure in phase.figures(family)]
        if points:
            yield Metric(f"bakeoff.{family.name}", family.help, family.unit, _data(family, points))


def _data(family: Family, points: Sequence[NumberDataPoint]) -> Sum | Gauge:
    return Sum(points, AggregationTemporality.CUMULATIVE, is_monotonic=True) if family.is_counter else Gauge(points)


def _number(phase: MeasuredPhase, own: Labels, value: float) -> NumberDataPoint:
    status = _RPC_STATUS if phase.protocol == GRPC else _HTTP_STATUS
    own = {status if name == STATUS else name: label for name, label in own.items()}
    attributes = _attributes({**phase.labels, **own})
    return NumberDataPoint(attributes, phase.begin_ns, phase.end_ns, value)


def _durations(phases: Sequence[MeasuredPhase]) -> Iterator[Metric]:
    """Response times of one protocol in one metric."""
    for is_grpc, name in _DURATIONS.items():
        of_protocol = [phase for phase in phases if (phase.protocol == GRPC) == is_grpc]
        points = [point for phase in of_protocol for point in _duration_points(phase)]
        if points:
            data = ExponentialHistogram(points, AggregationTemporality.CUMULATIVE)
            yield Metric(name, _DURATION_HELP, "s", data)


def _duration_points(phase: MeasuredPhase) -> Iterator[ExponentialHistogramDataPoint]:
    system = {_RPC_SYSTEM: GRPC} if phase.protocol == GRPC else {}
    for operation, encoded in phase.histograms.items():
        buckets = exponential_buckets(encoded)
        if not buckets.count:
            continue
        labels = {**phase.labels, **({_OPERATION: operation} if operation else {})}
        yield ExponentialHistogramDataPoint(
            attributes={**_attributes(labels), **system},
            start_time_unix_nano=phase.begin_ns,
            time_unix_nano=phase.end_ns,
            count=buckets.count,
            sum=buckets.sum_s,
            scale=buckets.scale,
            zero_count=buckets.zero_count,
            positive=Buckets(buckets.offset, buckets.counts),
            negative=Buckets(0, []),
            flags=0,
            min=buckets.min_s,
            max=buckets.max_s,
        )


def _attributes(labels: Labels) -> Mapping[str, str | int]:
    named = {_NAMES.get(name, name if "." in name else f"bakeoff.{name}"): value for name, value in labels.items()}
    return {name: int(value) if name in _INTEGERS else value for name, value in named.items()}
