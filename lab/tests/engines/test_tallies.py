import pytest

from bakeoff.engines.merging import Tallies
from bakeoff.engines.stream import StreamError
from made_up_records import engine_second, phase_end


def counted(number: int) -> dict[str, int]:
    return {"sent": number, "ok": number, "operations": number}


def test_each_agent_s_phases_are_added_up() -> None:
    tallies = Tallies(["agent 1", "agent 2"])
    for agent, seconds in ((0, [3, 4]), (1, [5])):
        for phase in (0, 1):
            for number, count in enumerate(seconds):
                tallies.take(agent, engine_second(number, phase=phase, **counted(count)))
            tallies.take(agent, phase_end(phase=phase, **counted(sum(seconds))))
    assert tallies.acknowledged == [14, 10]


def test_a_second_that_was_lost_is_missed() -> None:
    tallies = Tallies(["agent 1", "agent 2"])
    tallies.take(1, engine_second(0, **counted(3)))
    with pytest.raises(StreamError, match="Of agent 2 phase 1 has 7 sent, and its seconds have 3: a record was lost"):
        tallies.take(1, phase_end(**counted(7)))
