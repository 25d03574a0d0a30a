"""The offset of an agent's clock from the lab's, by round trips over the channel of instructions."""

import time
from dataclasses import dataclass

# Round trips before each phase; the quickest counts, since its way there and back differ the least.
ROUND_TRIPS = 5

# A clock of Unix time is a monotonic one, and two readings one after the other relate them.
_READING_NS = 1_000_000


class LabClock:
    """Unix nanoseconds that a change of the wall clock does not move."""

    def __init__(self) -> None:
        self._ahead_ns = time.time_ns() - time.monotonic_ns()

    def now_ns(self) -> int:
        return time.monotonic_ns() + self._ahead_ns


@dataclass(frozen=True)
class Offset:
    """By how much an agent's clock is ahead of the lab's; the truth is at most `uncertainty_ns` from `ahead_ns`."""

    ahead_ns: int
    uncertainty_ns: int

    @property
    def certain_ns(self) -> int:
        """The offset where it is more than the uncertainty, else 0: then the clocks may well be the same."""
        return self.ahead_ns if abs(self.ahead_ns) > self.uncertainty_ns + _READING_NS else 0


# Of an engine that reports no clock: on this machine, where all have the same.
SAME = Offset(0, 0)


def offset_of(sent_ns: int, shown_ns: int, received_ns: int) -> Offset:
    """The offset by one round trip: the agent's clock showed `shown_ns` between two instants of the lab's."""
    half_ns = (received_ns - sent_ns) // 2
    return Offset(shown_ns - sent_ns - half_ns, half_ns)


class RoundTrips:
    def __init__(self) -> None:
        self._sent_ns: dict[int, int] = {}
        self._offsets: list[Offset] = []

    def sent(self, identifier: int, at_ns: int) -> None:
        self._sent_ns[identifier] = at_ns

    def received(self, identifier: int, shown_ns: int, at_ns: int) -> None:
        """The reply has arrived; an unexpected one is ignored."""
        sent_ns = self._sent_ns.pop(identifier, None)
        if sent_ns is not None:
            self._offsets.append(offset_of(sent_ns, shown_ns, at_ns))

    @property
    def are_enough(self) -> bool:
        return len(self._offsets) >= ROUND_TRIPS

    @property
    def best(self) -> Offset:
        return min(self._offsets, key=lambda offset: offset.uncertainty_ns)
