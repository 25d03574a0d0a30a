"""Numbers of one second, and of one phase: the same members, so that the second adds up to the first."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from k6_engine.histogram import Histogram


class CallCounts:
    """Requests of one operation in a stretch of time. k6 does not record response times by operation."""

    def __init__(self) -> None:
        self.sent = 0
        self.ok = 0
        self.checked = 0
        self.checks_failed = 0
        self.errors: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.service = Histogram()

    def add(self, other: "CallCounts") -> None:
        """Adds another stretch to this one."""
        self.sent += other.sent
        self.ok += other.ok
        self.checked += other.checked
        self.checks_failed += other.checks_failed
        self.errors.update(other.errors)
        self.statuses.update(other.statuses)
        self.service.merge(other.service)

    @property
    def is_empty(self) -> bool:
        return not (self.sent or self.ok or self.errors)

    def members(self, expected: str) -> dict[str, Any]:
        """As a record holds them; `expected` is the status of a reply that is right. k6 keeps no content."""
        other = next((status for status in sorted(self.statuses) if status != expected), None)
        failed = {} if other is None else {"failed_reply": {"expected": expected, "received": other, "content": ""}}
        return {
            **failed,
            "sent": self.sent,
            "ok": self.ok,
            "failed": self.errors.total(),
            "errors": dict(sorted(self.errors.items())),
            "statuses": dict(sorted(self.statuses.items())),
            "checked": self.checked,
            "checks_failed": self.checks_failed,
            "service_histogram": self.service.encode(),
            "response_histogram": None,
        }


class Counts:
    """The counts of a span of time; `calls` by the call's name in k6's rows."""

    def __init__(self) -> None:
        self.sent = 0
        self.ok = 0
        self.errors: Counter[str] = Counter()
        self.bytes_sent = 0
        self.bytes_received = 0
        self.unsent = 0
        self.service = Histogram()
        self.response = Histogram()
        self.calls: defaultdict[str, CallCounts] = defaultdict(CallCounts)

    def add(self, other: "Counts") -> None:
        """Adds another stretch to this one."""
        self.sent += other.sent
        self.ok += other.ok
        self.errors.update(other.errors)
        self.bytes_sent += other.bytes_sent
        self.bytes_received += other.bytes_received
        self.unsent += other.unsent
        self.service.merge(other.service)
        self.response.merge(other.response)
        for call, counts in other.calls.items():
            self.calls[call].add(counts)

    def members(self, batch: int, names: Mapping[str, str], expected: Mapping[str, str]) -> dict[str, Any]:
        """As a record holds them; a request carries `batch` operations.

        `names` are the operations by call, and `expected` their statuses.
        """
        return {
            "sent": self.sent,
            "ok": self.ok,
            "failed": self.errors.total(),
            "errors": dict(sorted(self.errors.items())),
            "operations": self.ok * batch,
            "bytes_sent": self.bytes_sent,
            "bytes_received": self.bytes_received,
            "unsent": self.unsent,
            "service_histogram": self.service.encode(),
            "response_histogram": self.response.encode(),
            "by_operation": {
                names[call]: counts.members(expected[call])
                for call, counts in sorted(self.calls.items())
                if call in names and not counts.is_empty
            },
        }
