"""Which silence of an agent ends a run."""

import pytest

from bakeoff.engines.attendance import Attendance
from bakeoff.engines.stream import Clock, Ready, Record
from bakeoff.errors import BakeoffError
from made_up_records import engine_second, phase_end, phase_start

S = 1_000_000_000
READY, CLOCK = Ready(phase=0, time_unix_ns=0), Clock(id=1, time_unix_ns=0)


class Watched:
    """Two agents, and the lab that looks four times a second."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._attendance = Attendance(["agent 1", "agent 2"], 1.0, 0)

    def arrives(self, agent: int, record: Record | None) -> None:
        self._attendance.take(agent, record, int(self.now_s * S))

    def passes(self, seconds: float, *reporting: int) -> None:
        """Time passes, in which these agents report each second."""
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self.now_s += 0.25
            if self.now_s % 1 == 0:
                for agent in reporting:
                    self.arrives(agent, engine_second())
            self._attendance.check(int(self.now_s * S))

    def both_in_a_phase(self) -> None:
        for agent in (0, 1):
            self.arrives(agent, READY)
        for agent in (0, 1):
            self.arrives(agent, phase_start())


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_one_that_is_silent_in_a_phase_has_stalled(watched: Watched) -> None:
    watched.both_in_a_phase()
    watched.passes(10, 0, 1)
    watched.passes(4, 0)
    with pytest.raises(BakeoffError, match="Agent 2 stalled: no record of it arrived for 4 s in phase 1"):
        watched.passes(1, 0)


def test_the_end_of_a_phase_after_the_start_of_the_next_allows_no_more_silence(watched: Watched) -> None:
    watched.both_in_a_phase()
    for agent in (0, 1):
        watched.arrives(agent, phase_start(phase=1))
        watched.arrives(agent, phase_end(phase=0))
    with pytest.raises(BakeoffError, match="Agent 2 stalled: no record of it arrived for 4 s in phase 2"):
        watched.passes(5, 0)


def test_one_that_waits_for_another_may_be_silent_and_the_other_may_not(watched: Watched) -> None:
    watched.arrives(0, READY)
    watched.passes(60)
    with pytest.raises(BakeoffError, match="Agent 2 stalled: no record of it arrived for 61 s between phases"):
        watched.passes(2)


def test_all_that_are_ready_are_instructed_soon(watched: Watched) -> None:
    for agent in (0, 1):
        watched.arrives(agent, READY)
        watched.arrives(agent, CLOCK)
    watched.passes(61)
    with pytest.raises(BakeoffError, match="stalled"):
        watched.passes(1)


def test_after_a_phase_there_is_time_to_write_the_ledger(watched: Watched) -> None:
    watched.both_in_a_phase()
    for agent in (0, 1):
        watched.arrives(agent, phase_end())
    watched.passes(50)
    watched.arrives(0, None)
    watched.arrives(1, None)
    watched.passes(100)


def test_a_lab_that_was_held_up_blames_none(watched: Watched) -> None:
    watched.both_in_a_phase()
    watched.passes(1, 0, 1)
    watched.now_s += 30
    watched.passes(3)
    with pytest.raises(BakeoffError, match="stalled"):
        watched.passes(2)
