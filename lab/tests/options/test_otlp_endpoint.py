"""The address of a collector: what it is completed to, and what is refused."""

import pytest

from bakeoff.errors import UsageError
from bakeoff.options.otlp_endpoint import otlp_endpoint


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/metrics"),
        ("https://collector.test/", "https://collector.test/v1/metrics"),
        ("http://[::1]:4318", "http://[::1]:4318/v1/metrics"),
        ("http://prometheus.test:9090/api/v1/otlp/v1/metrics", "http://prometheus.test:9090/api/v1/otlp/v1/metrics"),
        ("http://collector.test?tenant=a", "http://collector.test/v1/metrics?tenant=a"),
    ],
)
def test_an_address_without_a_path_gets_the_usual_one(url: str, endpoint: str) -> None:
    assert otlp_endpoint(url) == endpoint


@pytest.mark.parametrize(
    "url",
    [
        *("", "collector.test:4318", "grpc://collector.test:4317", "http://", "http://:4318", "http:///v1/metrics"),
        *("http://a:0", "http://a:65536", "http://a:port", "http://[::1", "http://a b", "http://a#part"),
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match=r"is not the address of a collector: write http://127\.0\.0\.1:4318"):
        otlp_endpoint(url)


def test_credentials_are_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError, match="OTEL_EXPORTER_OTLP_HEADERS") as refused:
        otlp_endpoint("https://me:secret@collector.test")
    assert "secret" not in refused.value.message
