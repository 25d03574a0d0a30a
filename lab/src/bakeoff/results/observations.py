"""What was observed of a run beside its requests, each None where it was not."""

from dataclasses import dataclass

from bakeoff.results.audit import Audit
from bakeoff.results.database_activity import DatabaseActivity
from bakeoff.results.machine_state import MachineState
from bakeoff.results.warm_up_record import WarmUp


@dataclass(frozen=True)
class Observations:
    """Records that are read tolerantly: a run of any making has whatever of them fits."""

    audit: Audit | None = None
    warm_up: WarmUp | None = None
    database_activity: DatabaseActivity | None = None
    machine_state: MachineState | None = None
