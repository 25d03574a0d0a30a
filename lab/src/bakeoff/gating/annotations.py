"""A gate as GitHub workflow commands, which become annotations of the commit."""

from collections.abc import Iterator

from bakeoff.gating.check import Gate, Outcome

_LEVELS = {Outcome.FAILED: "error", Outcome.UNCLEAR: "warning"}


def annotations_of(gate: Gate) -> Iterator[str]:
    """A line for each check that is not simply well, and for each series left out."""
    for check in gate.checks:
        if check.outcome in _LEVELS:
            title = _property(f"{check.metric} of {check.series.label}")
            yield f"::{_LEVELS[check.outcome]} title={title}::{_data(check.words)}"
    for reason in gate.left_out:
        yield f"::notice title=bakeoff gate::{_data(reason)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
