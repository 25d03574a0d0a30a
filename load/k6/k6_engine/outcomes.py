"""Outcomes of requests: from k6's tags to the error kinds of the result stream."""

from dataclasses import dataclass
from typing import Any

TIMEOUT = "timeout"
MALFORMED_REPLY = "malformed"

# k6's error codes, of lib/netext/httpext/error_codes.go. 1213 is every errno of connect() but "refused"; towards a
# server that was healthy a moment ago it is EADDRNOTAVAIL: no local port is left.
_K6_ERRORS = {
    "1050": TIMEOUT,
    "1201": "reset",
    "1211": TIMEOUT,
    "1212": "refused",
    "1213": "ports_exhausted",
    "1220": "reset",
    "1300": "tls",
    "1301": "tls",
    "1310": "certificate",
    "1311": "certificate",
}

_GRPC_STATUSES = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)
_DEADLINE_EXCEEDED = str(_GRPC_STATUSES.index("DEADLINE_EXCEEDED"))


@dataclass(frozen=True)
class Outcomes:
    """Names the outcome of a request of one plan: `expected` is the status, by the call's name in k6's rows."""

    protocol: str
    expected: dict[str, str]

    @classmethod
    def of(cls, plan: dict[str, Any]) -> "Outcomes":
        """From the plan's document."""
        protocol = plan["transport"]["protocol"]
        expected = {str(index): str(call[protocol]["expect"]) for index, call in enumerate(plan["operations"])}
        if plan["batch"] is not None:
            expected["batch"] = str(plan["batch"]["expect"])
        return cls(protocol, expected)

    def error_kind(self, call: str, status: str, error_code: str) -> str | None:
        """None when the reply has the expected status."""
        if self.protocol == "grpc":
            return self._grpc_error_kind(call, status)
        if status == self.expected[call]:
            return None
        if status != "0":
            return f"status_{status}"
        return _K6_ERRORS.get(error_code, "other")

    def status_name(self, status: str) -> str:
        """The status as the result stream names it."""
        if self.protocol == "grpc" and int(status) < len(_GRPC_STATUSES):
            return _GRPC_STATUSES[int(status)]
        return status

    def is_counted_by_script(self, status: str) -> bool:
        """Whether the script counts requests of this status: k6 writes no row for most calls that time out."""
        return self.protocol == "grpc" and status == _DEADLINE_EXCEEDED

    def _grpc_error_kind(self, call: str, status: str) -> str | None:
        number = int(status)
        name = _GRPC_STATUSES[number] if number < len(_GRPC_STATUSES) else status
        return None if name == self.expected[call] else f"grpc_{name}"


def is_answered(error_kind: str | None) -> bool:
    """Whether there was a reply, if perhaps not the expected one."""
    return error_kind is None or error_kind.startswith(("status_", "grpc_"))


def has_service_time(error_kind: str | None) -> bool:
    """Whether there was a reply, or a wait as long as the timeout: a refused connection took no time to serve."""
    return is_answered(error_kind) or error_kind == TIMEOUT
