"""The lab's work beside a run."""

import pytest

from bakeoff.engines.stream import PhaseStart, Record
from bakeoff.running.measured_run import vacuum_is_due
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import PlannedStep
from made_up_records import engine_second, phase_end

LEVEL = Phase("1 user", 1, 10.0)
# The first level settles and is measured, then the second.
STEPS = [PlannedStep(LEVEL, level, measures) for level in (0, 1) for measures in (False, True)]
START = {phase: PhaseStart(phase=phase, name="", virtual_users=1, time_unix_ns=0) for phase in range(4)}


@pytest.mark.parametrize(
    ("record", "due"),
    [
        # The first level's table is empty when it begins.
        (START[0], False),
        (engine_second(0, phase=0), False),
        (engine_second(2, phase=0), True),
        (engine_second(3, phase=0), False),
        # What is measured is left alone.
        (START[1], False),
        (engine_second(2, phase=1), False),
        (START[2], True),
        (engine_second(2, phase=2), False),
        (START[3], False),
        (phase_end(phase=0), False),
    ],
)
def test_levels_are_vacuumed_while_they_settle(record: Record, due: bool) -> None:
    assert vacuum_is_due(record, STEPS) is due
