"""The address of an OpenTelemetry collector, as `--otlp` names it."""

from urllib.parse import urlsplit

from bakeoff.errors import UsageError

_SCHEMES = ("http", "https")
_PATH = "/v1/metrics"


def otlp_endpoint(url: str) -> str:
    """The URL that metrics are sent to: without a path that of OTLP over HTTP. Raises UsageError."""
    error = UsageError(f'"{url}" is not the address of a collector: write http://127.0.0.1:4318, or its whole URL.')
    try:
        parts = urlsplit(url)
        has_port = parts.port != 0
    except ValueError as reason:
        raise error from reason
    if parts.scheme not in _SCHEMES or not parts.hostname or parts.fragment or not has_port or " " in url:
        raise error
    if parts.username is not None:
        # The command line is stored with the comparison.
        raise UsageError(
            f'"{parts.scheme}://…@{parts.netloc.rpartition("@")[2]}" holds credentials, which would be stored: leave '
            "them out and set OTEL_EXPORTER_OTLP_HEADERS='authorization=…'."
        )
    return parts._replace(path=_PATH).geturl() if parts.path in ("", "/") else url
