"""Machine conditions recorded with each run: figures of another hour are of another machine of the same name."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from bakeoff.history.run_figures import RunFigures
from bakeoff.postgres.server import Server
from bakeoff.results.machine_state import MachineState

_STORED = "SELECT machine_state FROM test_runs WHERE id = ANY(%s) AND machine_state IS NOT NULL ORDER BY id"


@dataclass(frozen=True)
class Conditions:
    """Of one run; None: not recorded. The speed is a core's just before, percentages are of one core, meanwhile."""

    speed_mb_s: float | None
    steal_percent: float | None
    other_cpu_percent: float | None


def conditions_of(state: MachineState) -> Conditions:
    """Of the state that a run's record holds."""
    return Conditions(state.speed_mb_s, state.steal_percent, state.other_cpu_percent)


def stored_conditions(server: Server, runs: Sequence[RunFigures]) -> list[Conditions]:
    """Of those among stored runs that recorded them."""
    with server.connect() as connection:
        rows = connection.execute(_STORED, [[run.id for run in runs]]).fetchall()
    return [conditions_of(msgspec.convert(state, MachineState)) for (state,) in rows]
