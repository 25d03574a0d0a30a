"""Figures that a collector receives by OTLP, and collectors that do not take them."""

from collections.abc import Sequence

import pytest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE, Metric

from bakeoff.options.otlp_endpoint import otlp_endpoint
from bakeoff.processes.ports import free_port
from bakeoff.reporting.metrics.otlp import send
from bakeoff.reporting.metrics.phases import MeasuredPhase, phases_of
from bakeoff.results.histograms import PERCENTILES
from made_up import divided, measured, operation, run_result
from otlp_collector import Answer, attributes_of, bounds_at, collecting, endless, rejecting, replying, silent

BRIEF_S = 0.2


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing stands between a test and its collector."""
    monkeypatch.setenv("NO_PROXY", "*")


def received(phases: Sequence[MeasuredPhase]) -> list[tuple[dict[str, str | int], dict[str, Metric]]]:
    with collecting(replying(200)) as collector:
        assert send(phases, otlp_endpoint(collector.url)) is None
    ((path, headers, _),) = collector.received
    assert (path, headers["content-type"]) == ("/v1/metrics", "application/x-protobuf")
    return collector.resources


def test_response_times_agree_with_the_report() -> None:
    run = run_result(total=measured(100, latency_ms=7.0))
    ((_, metrics),) = received(phases_of([run], "7"))
    metric = metrics["http.client.request.duration"]
    (point,) = metric.exponential_histogram.data_points
    latency = run.phases[0].measured.latency
    assert metric.unit == "s"
    assert metric.exponential_histogram.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE
    assert point.count == latency.count == point.zero_count + sum(point.positive.bucket_counts)
    assert point.sum == pytest.approx(latency.mean_ms * latency.count / 1e3)
    assert (point.min, point.max) == (latency.min_ms / 1e3, latency.max_ms / 1e3)
    for name, percentile in PERCENTILES.items():
        above, up_to = bounds_at(point, percentile)
        assert above < latency.percentiles_ms[name] / 1e3 <= up_to < above * 1.03
    assert (point.start_time_unix_nano, point.time_unix_nano) == (run.phases[0].begin_ns, run.phases[0].end_ns)


def test_each_operation_has_its_own_response_times() -> None:
    total = divided({"create": operation(500, 2.0), "read": operation(20, 9.0)})
    ((_, metrics),) = received(phases_of([run_result(total=total)], "7"))
    points = metrics["http.client.request.duration"].exponential_histogram.data_points
    assert [attributes_of(point)["bakeoff.operation"] for point in points] == ["create", "read"]
    assert [point.sum for point in points] == pytest.approx([0.0020100 * 1e5, 0.009045 * 1e5], rel=0.01)


def test_a_target_is_a_resource_and_its_series_name_contender_level_and_round() -> None:
    runs = [run_result(target, round=number) for target in ("one", "two") for number in (1, 2)]
    resources = received(phases_of(runs, "7"))
    assert [attributes for attributes, _ in resources] == [
        {
            "service.name": target,
            "bakeoff.comparison": "7",
            "vcs.ref.head.revision": "0" * 40,
            "bakeoff.machine": "unknown × ?",
        }
        for target in ("one", "two")
    ]
    points = resources[1][1]["bakeoff.requests"].sum.data_points
    assert [attributes_of(point) for point in points] == [
        {
            "bakeoff.workload": "events",
            "bakeoff.contender": "two",
            "bakeoff.mode": "quick",
            "bakeoff.level": "10",
            "bakeoff.phase": "1",
            "bakeoff.round": number,
            "bakeoff.result": "completed",
        }
        for number in ("1", "2")
    ]


def test_counts_and_rates_are_those_of_the_phase() -> None:
    read = operation(90, errors={"status_503": 4, "timeout": 6}, statuses={"200": 90, "503": 4})
    total = measured(9, failed=10, errors=read.errors, by_operation={"read": read})
    ((_, metrics),) = received(phases_of([run_result(total=total)], "7"))
    replies = metrics["bakeoff.replies"].sum
    assert (replies.is_monotonic, replies.aggregation_temporality) == (True, AGGREGATION_TEMPORALITY_CUMULATIVE)
    statuses = {attributes_of(each)["http.response.status_code"]: each.as_int for each in replies.data_points}
    assert statuses == {200: 90, 503: 4}
    failures = {attributes_of(each)["error.type"]: each.as_int for each in metrics["bakeoff.failures"].sum.data_points}
    assert failures == {"status_503": 4, "timeout": 6}
    (rate,) = metrics["bakeoff.operations_per_second"].gauge.data_points
    (ratio,) = metrics["bakeoff.error_ratio"].gauge.data_points
    assert (rate.as_double, ratio.as_double) == (9.0, 0.1)
    assert metrics["bakeoff.sent"].unit == "By"


def test_grpc_has_the_names_of_remote_calls() -> None:
    total = divided({"Create": operation(9, statuses={"OK": 9})})
    ((_, metrics),) = received(phases_of([run_result(protocol="grpc", total=total)], "7"))
    (point,) = metrics["rpc.client.call.duration"].exponential_histogram.data_points
    assert attributes_of(point)["rpc.system.name"] == "grpc"
    (replies,) = metrics["bakeoff.replies"].sum.data_points
    assert attributes_of(replies)["rpc.response.status_code"] == "OK"
    assert "http.client.request.duration" not in metrics


def test_no_latency_is_no_point() -> None:
    nothing = measured(0, requests=5, failed=5, histogram="")
    ((_, metrics),) = received(phases_of([run_result(total=nothing)], "7"))
    assert "http.client.request.duration" not in metrics
    assert metrics["bakeoff.requests"].sum.data_points[0].as_int == 5


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (replying(404), "404 Not Found"),
        (replying(503), "503 Service Unavailable"),
        (replying(302, location="http://127.0.0.1:1/"), "302 Found"),
        (rejecting(3, "out of order"), "3 data points rejected (out of order)"),
        (rejecting(1, "\x1b[2Ja\nb" + "c" * 999), f"1 data point rejected ([2Ja b{'c' * 193})"),
        (silent, f"no reply within {BRIEF_S} s"),
        (endless, f"no reply within {BRIEF_S} s"),
    ],
    ids=["404", "503", "302", "rejected", "rejected with codes", "silent", "endless"],
)
def test_a_collector_that_takes_nothing_is_described(
    answer: Answer, problem: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with collecting(answer) as collector:
        assert send(phases_of([run_result()], "7"), otlp_endpoint(collector.url), BRIEF_S) == problem
    assert capfd.readouterr() == ("", "")


def test_a_collector_that_is_not_there_is_described() -> None:
    assert send(phases_of([run_result()], "7"), f"http://127.0.0.1:{free_port()}", BRIEF_S) == "Connection refused"


def test_any_success_is_one() -> None:
    for answer in (replying(204), replying(200, b"<html>", **{"content-type": "text/html"}), replying(200, b"\xff")):
        with collecting(answer) as collector:
            assert send(phases_of([run_result()], "7"), otlp_endpoint(collector.url)) is None
