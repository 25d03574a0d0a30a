"""Numbers of one second, and of one phase: the same members, so that the second adds up to the first."""

from collections import Counter
from typing import Any

from k6_engine.histogram import Histogram


class Counts:
    """What happened in a stretch of time."""

    def __init__(self) -> None:
        self.sent = 0
        self.ok = 0
        self.errors: Counter[str] = Counter()
        self.bytes_sent = 0
        self.bytes_received = 0
        self.unsent = 0
        self.service = Histogram()
        self.response = Histogram()

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

    def members(self, batch: int) -> dict[str, Any]:
        """As a record holds them; a request carries `batch` operations."""
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
        }
