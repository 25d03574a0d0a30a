"""The result stream: its records, and JSON lines → records, checked as they come."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from bakeoff.documents.checked import first_problem
from bakeoff.errors import BakeoffError
from bakeoff.project import FORMATS
from bakeoff.results.operations import FailedCheck, FailedReply

VERSION = 1
_SCHEMA = FORMATS / "stream.schema.json"


class EngineVersion(msgspec.Struct, frozen=True):
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class Start(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="start"):
    """The first record: what is sent to what.

    `checks` is the fraction of replies with checked content, by operation.
    """

    version: int
    engine: EngineVersion
    workload: str
    target: str
    protocol: str
    connections: int
    time_unix_ns: int
    checks: Mapping[str, float] = {}


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="ready"):
    """An agent can start a phase, and does when it is instructed to; with `last_phase` all phases up to that one."""

    phase: int
    time_unix_ns: int
    last_phase: int | None = None

    @property
    def phases(self) -> range:
        """The phases that one instruction starts."""
        return range(self.phase, (self.phase if self.last_phase is None else self.last_phase) + 1)


class Clock(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="clock"):
    """A reading of an agent's clock; `id` is that of the instruction that requested it."""

    id: int
    time_unix_ns: int


class PhaseStart(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="phase_start"):
    """A phase starts; `phase` is its index in the plan."""

    phase: int
    name: str
    virtual_users: int
    time_unix_ns: int


class Outcomes(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Requests of one operation. `statuses` counts all replies; of `checked` replies `checks_failed` were wrong.

    `failed_check` is the first of these, `failed_reply` the first of all failed ones, where the engine reports them.
    """

    sent: int
    ok: int
    failed: int
    errors: Mapping[str, int]
    statuses: Mapping[str, int]
    checked: int
    checks_failed: int
    service_histogram: str | None
    response_histogram: str | None
    ok_late: int = 0
    failed_check: FailedCheck | None = None
    failed_reply: FailedReply | None = None


class Counted(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Requests of a span of time. `operations` are messages acknowledged, `unsent` were scheduled and not sent.

    `response_histogram` counts from the scheduled instant; None where that is the same as `service_histogram`.
    """

    phase: int
    time_unix_ns: int
    sent: int
    ok: int
    failed: int
    errors: Mapping[str, int]
    operations: int
    bytes_sent: int
    bytes_received: int
    unsent: int
    service_histogram: str | None
    response_histogram: str | None
    by_operation: Mapping[str, Outcomes] = {}

    @property
    def latency_histogram(self) -> str | None:
        """Of what users of the target waited for: response time where there is a schedule, else service time."""
        return self.response_histogram or self.service_histogram


class EngineSecond(Counted, frozen=True, kw_only=True, tag="second"):
    """One second of a phase, since the phase began."""

    second: int


class PhaseEnd(Counted, frozen=True, kw_only=True, tag="phase_end"):
    """All of a phase. `steady_after_s` is there only where `until_steady` could end it.

    `planned_ns` lasts to the planned end, and is None for a number of iterations and after an interruption; of all
    `operations`, `operations_late` were acknowledged after it.
    """

    duration_ns: int
    planned_ns: int | None
    operations_late: int
    connections_opened: int
    interrupted: bool
    send_lag_histogram: str | None
    steady_after_s: int | msgspec.UnsetType | None = msgspec.UNSET


class Note(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="note"):
    level: Literal["info", "warning", "error"]
    message: str


class End(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="end"):
    """The last record: how the engine ended."""

    reason: Literal["completed", "interrupted", "failed"]
    message: str
    time_unix_ns: int


Record = Start | Ready | Clock | PhaseStart | EngineSecond | PhaseEnd | Note | End

_TYPES = ("start", "ready", "clock", "phase_start", "second", "phase_end", "note", "end")


class StreamError(BakeoffError):
    """A line that is no record of the stream, or a stream of another version."""


def read_records(lines: Iterable[bytes], source: str) -> Iterator[Record]:
    """Records of a stream, each valid by formats/stream.schema.json. `source` names it in errors."""
    for number, line in enumerate(lines, start=1):
        try:
            document = json.loads(line)
        except ValueError as error:
            reason = f"not JSON ({error}). The engine was terminated"
            raise StreamError(f"{source}, line {number}: {reason}.") from error
        if number == 1 and isinstance(document, dict) and document.get("version") not in (None, VERSION):
            raise StreamError(
                f"{source} is of version {document['version']}; this lab reads version {VERSION}. "
                "Use lab and engine of the same version."
            )
        kind = document.get("type") if isinstance(document, dict) else None
        problem = first_problem(document, _SCHEMA, kind) if kind in _TYPES else f"type: {kind!r} is not known"
        if problem:
            raise StreamError(f"{source}, line {number}: does not match {_SCHEMA.name}: {problem}.")
        yield msgspec.convert(document, Record)
