"""The figures of one operation of a workload."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from bakeoff.results import histograms
from bakeoff.results.histograms import Latency

_ADDED = ("requests", "ok", "failed", "checked", "checks_failed")

Count = Annotated[int, msgspec.Meta(ge=0)]


class FailedCheck(msgspec.Struct, frozen=True):
    """A wrong value in a reply, at a JSON pointer, empty for the whole reply, or a header."""

    pointer: str
    expected: str
    received: str

    def __str__(self) -> str:
        return f"at {self.pointer or 'the root'} expected {self.expected}, received {self.received}"


class FailedReply(msgspec.Struct, frozen=True):
    """A reply of an unexpected status or content: the expected statuses, the one received, and its first bytes."""

    expected: str
    received: str
    content: str

    def __str__(self) -> str:
        status = f"expected status {self.expected}, received {self.received}"
        if self.received in self.expected.split(" or "):
            status = f"status {self.received}"
        return f"{status}: {self.content}" if self.content else status


@dataclass(frozen=True)
class MeasuredOperation:
    """Requests of one operation of the workload. `statuses` counts every reply, expected or not.

    The content of `checked` replies was compared with what it must be; `checks_failed` of them are among `failed`.
    `failed_check` is the first of these, and `failed_reply` the first of all failed ones, where the engine reports
    them; the metrics database keeps them in findings alone.
    """

    requests: Count
    ok: Count
    failed: Count
    errors: Mapping[str, Count]
    statuses: Mapping[str, Count]
    checked: Count
    checks_failed: Count
    latency: Latency
    histogram: str
    failed_check: FailedCheck | None = None
    failed_reply: FailedReply | None = None

    @property
    def check_failure_rate(self) -> float:
        """Of the replies whose content was checked."""
        return self.checks_failed / self.checked if self.checked else 0.0

    @property
    def estimated_failed(self) -> float:
        """With the unchecked replies, assumed to be wrong as often as the checked ones."""
        unchecked = max(0, self.ok - (self.checked - self.checks_failed))
        return self.failed + unchecked * self.check_failure_rate

    @property
    def error_rate(self) -> float:
        return self.estimated_failed / self.requests if self.requests else 0.0

    @property
    def always_fails(self) -> bool:
        """Whether nothing shows that it ever succeeded."""
        is_never_right = self.checked > 0 and self.checks_failed == self.checked
        return self.requests > 0 and (self.ok == 0 or is_never_right)


def added_operations(parts: Sequence[MeasuredOperation]) -> MeasuredOperation:
    """One operation over several spans of time."""
    histogram = histograms.merge(part.histogram for part in parts)
    return MeasuredOperation(
        **{name: sum(getattr(part, name) for part in parts) for name in _ADDED},
        errors=summed(part.errors for part in parts),
        statuses=summed(part.statuses for part in parts),
        latency=histograms.summarise(histogram),
        histogram=histograms.encode(histogram),
        failed_check=next((part.failed_check for part in parts if part.failed_check is not None), None),
        failed_reply=next((part.failed_reply for part in parts if part.failed_reply is not None), None),
    )


def summed(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts by name, of all parts together."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(total)
