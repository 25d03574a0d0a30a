"""The figures of `hit` as a collector receives them by OTLP."""

from typing import Any

import pytest
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric

from bakeoff.options.otlp_endpoint import otlp_endpoint
from bakeoff.reporting.metrics.of_hit import HitResult, phase_of_hit
from bakeoff.reporting.metrics.otlp import send
from made_up import histogram_around
from otlp_collector import Attributes, attributes_of, collecting, replying


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing stands between a test and its collector."""
    monkeypatch.setenv("NO_PROXY", "*")


def received(hit: HitResult) -> tuple[Attributes, dict[str, Metric]]:
    with collecting(replying(200)) as collector:
        assert send([phase_of_hit(hit, "CPU × 2")], otlp_endpoint(collector.url)) is None
    (resource,) = collector.resources
    return resource


def hit_result(**changes: Any) -> HitResult:
    values: dict[str, Any] = {
        "url": "http://127.0.0.1:3000/items?page=2",
        "method": "GET",
        "duration_s": 2.0,
        "window_s": 2.0,
        "requests": 110,
        "ok": 100,
        "ok_late": 0,
        "failed": 10,
        "unsent": 0,
        "bytes_sent": 1,
        "bytes_received": 2,
        "statuses": {"200": 100, "404": 8},
        "errors": {"status_404": 8, "timeout": 2},
        "histogram": histogram_around(3.0),
        "ended_unix_ms": 1_700_000_000_000,
    }
    return HitResult(**{**values, **changes})


def test_a_hit_is_named_by_its_server_and_url() -> None:
    resource, metrics = received(hit_result())
    assert resource == {"service.name": "127.0.0.1:3000", "bakeoff.machine": "CPU × 2"}
    (point,) = metrics["http.client.request.duration"].exponential_histogram.data_points
    assert attributes_of(point) == {
        "url.full": "http://127.0.0.1:3000/items?page=2",
        "server.address": "127.0.0.1",
        "server.port": 3000,
        "http.request.method": "GET",
    }
    assert (point.count, point.time_unix_nano - point.start_time_unix_nano) == (100_000, 2_000_000_000)
    replies = metrics["bakeoff.replies"].sum.data_points
    assert {attributes_of(each)["http.response.status_code"]: each.as_int for each in replies} == {200: 100, 404: 8}
    assert metrics["bakeoff.operations_per_second"].gauge.data_points[0].as_double == 50.0


def test_a_hit_over_grpc_is_named_by_its_method() -> None:
    url, errors = "grpc://127.0.0.1:9090/shop.Items/Create", {"grpc_UNAVAILABLE": 3}
    hit = hit_result(url=url, method="gRPC", statuses={"OK": 7}, errors=errors)
    _, metrics = received(hit)
    (point,) = metrics["rpc.client.call.duration"].exponential_histogram.data_points
    assert attributes_of(point)["rpc.method"] == "shop.Items/Create"
    replies = metrics["bakeoff.replies"].sum.data_points
    assert {attributes_of(each)["rpc.response.status_code"]: each.as_int for each in replies} == {
        "OK": 7,
        "UNAVAILABLE": 3,
    }
