"""The running counts of one phase: its seconds that are not written yet, and its sums."""

from collections import defaultdict

import numpy as np

from k6_engine.counts import Counts
from k6_engine.outcomes import MALFORMED_REPLY, has_service_time, is_answered
from k6_engine.plan import Phase
from k6_engine.rows import Floats, Ints

US_PER_SECOND = 1_000_000
NS_PER_MS = 1_000_000


class PhaseTally:
    """Counts by second since the phase began.

    What ends soon after the phase counts in its last second, and what is read after its second was written in the
    next one that is not: sums stay exact.
    """

    def __init__(self, phase: Phase, start_us: int) -> None:
        self.phase = phase
        self.start_us = start_us
        self.total = Counts()
        self.connections_opened = 0
        self.users_entered = 0
        self.late_ok = 0
        self.next_second = 0
        self._last_reply_us = start_us
        self._last_failure_us = start_us
        self._seconds: defaultdict[int, Counts] = defaultdict(Counts)

    @property
    def end_us(self) -> int | None:
        """When the plan ends the phase; None for a phase of iterations."""
        return None if self.phase.duration_ms is None else self.start_us + self.phase.duration_ms * 1000

    @property
    def ended_us(self) -> int:
        """When the last reply came. A request that failed without one counts no further than to the planned end."""
        failed_us = self._last_failure_us if self.end_us is None else min(self._last_failure_us, self.end_us)
        return max(self._last_reply_us, failed_us)

    @property
    def planned_seconds(self) -> int | None:
        """Seconds that the plan gives the phase, the last one perhaps not whole; None for a phase of iterations."""
        return None if self.phase.duration_ms is None else -(-self.phase.duration_ms // 1000)

    @property
    def last_second(self) -> int:
        """The last second that holds anything, or the one before `next_second`."""
        return max(self._seconds, default=self.next_second - 1)

    def add_requests(
        self, call: str, error_kind: str | None, ends_us: Ints, durations_ms: Floats, status: str | None = None
    ) -> None:
        """Counts requests of one call with the same outcome: begun in one second, answered perhaps in another.

        `status` is that of their replies, where there was one.
        """
        durations_ns = (durations_ms * NS_PER_MS).round().astype(np.int64)
        for second, count in self._by_second(ends_us - durations_ns // 1000):
            self._seconds[second].sent += count
            self._seconds[second].calls[call].sent += count
        ended = self._second_of(ends_us)
        for second in np.unique(ended).tolist():
            mine = durations_ns[ended == second]
            counts = self._seconds[second]
            for each in (counts, counts.calls[call]):
                if error_kind is None:
                    each.ok += len(mine)
                else:
                    each.errors[error_kind] += len(mine)
                if has_service_time(error_kind):
                    each.service.add(mine)
            if status is not None and is_answered(error_kind):
                counts.calls[call].statuses[status] += len(mine)
        if error_kind is None and self.end_us is not None:
            self.late_ok += int((ends_us > self.end_us).sum())
        last_us = int(ends_us.max())
        if is_answered(error_kind):
            self._last_reply_us = max(self._last_reply_us, last_us)
        else:
            self._last_failure_us = max(self._last_failure_us, last_us)

    def add_checked_replies(self, call: str, times_us: Ints) -> None:
        """Counts replies whose content was checked."""
        for second, count in self._by_second(times_us):
            self._seconds[second].calls[call].checked += count

    def add_malformed_replies(self, call: str, times_us: Ints) -> None:
        """Takes replies, which were counted as ok, for failed: their content was wrong."""
        for second in self._second_of(times_us).tolist():
            # k6 checks a reply some microseconds after it took its time, perhaps in the next second.
            is_here = self._seconds[second].calls[call].ok > 0
            counts = self._seconds[second] if is_here else self._seconds[second - 1]
            for each in (counts, counts.calls[call]):
                each.ok -= 1
                each.errors[MALFORMED_REPLY] += 1
            counts.calls[call].checks_failed += 1

    def add_responses(self, ends_us: Ints, durations_ms: Floats) -> None:
        """Records response times."""
        ended = self._second_of(ends_us)
        durations_ns = (durations_ms * NS_PER_MS).round().astype(np.int64)
        for second in np.unique(ended).tolist():
            self._seconds[second].response.add(durations_ns[ended == second])

    def add_bytes(self, direction: str, times_us: Ints, values: Floats) -> None:
        """Adds to `bytes_sent` or `bytes_received`, as `direction` says."""
        for second, total in self._sums(times_us, values):
            counts = self._seconds[second]
            setattr(counts, direction, getattr(counts, direction) + total)

    def add_unsent(self, times_us: Ints, values: Floats) -> None:
        """Counts arrivals that found no free virtual user."""
        for second, total in self._sums(times_us, values):
            self._seconds[second].unsent += total

    def take_second(self) -> Counts:
        """Closes the next second and gives its counts, which are now part of the total."""
        counts = self._seconds.pop(self.next_second, Counts())
        self.total.add(counts)
        self.next_second += 1
        return counts

    def _second_of(self, times_us: Ints) -> Ints:
        seconds = (times_us - self.start_us) // US_PER_SECOND
        if self.planned_seconds is not None:
            seconds = np.minimum(seconds, self.planned_seconds - 1)
        unwritten: Ints = np.maximum(seconds, self.next_second)
        return unwritten

    def _by_second(self, times_us: Ints) -> list[tuple[int, int]]:
        seconds, counts = np.unique(self._second_of(times_us), return_counts=True)
        return list(zip(seconds.tolist(), counts.tolist(), strict=True))

    def _sums(self, times_us: Ints, values: Floats) -> list[tuple[int, int]]:
        seconds = self._second_of(times_us)
        return [(second, round(float(values[seconds == second].sum()))) for second in np.unique(seconds).tolist()]
