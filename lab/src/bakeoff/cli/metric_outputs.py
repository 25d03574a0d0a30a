"""Outputs of `run` and `hit` for systems that collect metrics, written and sent when nothing is measured any more."""

from collections.abc import Sequence
from pathlib import Path

from bakeoff.cli.output import say
from bakeoff.documents.whole_file import write_whole
from bakeoff.errors import BakeoffError
from bakeoff.options.otlp_endpoint import otlp_endpoint
from bakeoff.reporting.metrics.phases import MeasuredPhase
from bakeoff.reporting.metrics.prometheus import prometheus_text


def require_otlp() -> None:
    """Raises BakeoffError where the packages that send metrics are not installed."""
    try:
        import opentelemetry.exporter.otlp.proto.http.metric_exporter  # noqa: F401
    except ImportError as error:
        raise BakeoffError(
            "--otlp needs OpenTelemetry's SDK, which is not installed: pip install 'bakeoff[otlp]' adds it."
        ) from error


def send_otlp(phases: Sequence[MeasuredPhase], url: str) -> None:
    """Sends the figures; a collector that does not take them costs a line, and not the measurement."""
    if not phases:
        return
    from bakeoff.reporting.metrics.otlp import send

    endpoint = otlp_endpoint(url)
    try:
        problem = send(phases, endpoint)
    except KeyboardInterrupt:
        problem = "interrupted"
    if problem:
        say(f"The figures were not sent to {endpoint}: {problem}. The results and the exit status are the same.")


def write_prometheus(phases: Sequence[MeasuredPhase], path: Path) -> bool:
    """Writes the file whole, as the textfile collector wants it; whether it was written."""
    if not phases:
        return True
    try:
        write_whole(path, prometheus_text(phases).encode())
    except OSError as error:
        say(f"{path} was not written: {error.strerror}. The results are stored all the same.")
        return False
    return True
