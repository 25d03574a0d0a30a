"""Keepalive pings: `INTERVAL,TIMEOUT`, or `INTERVAL,TIMEOUT,idle`, as options have them and as a plan holds them."""

from collections.abc import Mapping

from bakeoff.errors import UsageError
from bakeoff.text.durations import seconds_of

_SHORTEST_S = 0.001


def parse_ping(text: str) -> Mapping[str, int | bool]:
    """The members of a plan's `ping`. Raises UsageError."""
    parts = [part.strip() for part in text.split(",")]
    if not 2 <= len(parts) <= 3 or parts[2:] not in ([], ["idle"]):
        raise UsageError(f'"{text}" does not state pings: write 10s,3s, or 10s,3s,idle for pings without calls too.')
    interval_s, timeout_s = (seconds_of(part, shortest_s=_SHORTEST_S) for part in parts[:2])
    ping: dict[str, int | bool] = {"interval_ms": round(interval_s * 1000), "timeout_ms": round(timeout_s * 1000)}
    return {**ping, "when_idle": True} if parts[2:] else ping


def planned_ping(text: str | None) -> Mapping[str, int | bool] | None:
    """The member of the plan for the option's value."""
    return None if text is None else parse_ping(text)
