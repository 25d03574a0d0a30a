"""Records of a result stream as no engine wrote them."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import msgspec

from bakeoff.engines.merging import Merging
from bakeoff.engines.stream import EngineSecond, Outcomes, PhaseEnd, PhaseStart, Record

_COUNTED: dict[str, Any] = {
    "phase": 0,
    "time_unix_ns": 0,
    "sent": 0,
    "ok": 0,
    "failed": 0,
    "errors": {},
    "operations": 0,
    "bytes_sent": 0,
    "bytes_received": 0,
    "unsent": 0,
    "service_histogram": None,
    "response_histogram": None,
}


def record_of(document: dict[str, Any]) -> Record:
    """The record that a line holds."""
    return msgspec.convert(document, Record)  # type: ignore[no-any-return, unused-ignore]


def phase_start(name: str = "Baseline", virtual_users: int = 10, phase: int = 0, time_unix_ns: int = 0) -> PhaseStart:
    return PhaseStart(phase=phase, name=name, virtual_users=virtual_users, time_unix_ns=time_unix_ns)


def engine_second(second: int = 0, **changes: Any) -> EngineSecond:
    return EngineSecond(**{**_COUNTED, **changes}, second=second)


def phase_end(**changes: Any) -> PhaseEnd:
    at_end: dict[str, Any] = {"duration_ns": 0, "connections_opened": 10, "interrupted": False}
    at_end |= {"send_lag_histogram": None, "planned_ns": None, "operations_late": 0}
    return PhaseEnd(**{**_COUNTED, **at_end, **changes})


def outcomes(**changes: Any) -> Outcomes:
    nothing: dict[str, Any] = {
        **dict.fromkeys(("sent", "ok", "failed", "checked", "checks_failed"), 0),
        **dict.fromkeys(("service_histogram", "response_histogram")),
        "errors": {},
        "statuses": {},
    }
    return Outcomes(**{**nothing, **changes})


def merged(streams: Sequence[Sequence[Record]]) -> list[Record]:
    """The one stream that the agents' whole streams make."""
    merging = Merging([f"agent {number}" for number in range(1, len(streams) + 1)])
    turns = (turn for turn in zip_longest(*streams))
    return [
        done
        for turn in turns
        for agent, record in enumerate(turn)
        if record is not None
        for done in merging.take(agent, record)
    ]
