"""Facts that a run gathers, from which its result is assembled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from bakeoff.engines.stream import End, PhaseEnd, Record
from bakeoff.results.machine_state import MachineState
from bakeoff.results.run import Status
from bakeoff.running.agent_accounts import AgentAccounts
from bakeoff.running.durability_label import DurabilityFacts
from bakeoff.running.run_request import RunRequest
from bakeoff.running.stored_state import StoredFacts
from bakeoff.running.watch import Watched
from bakeoff.sampling.database_activity import DatabaseCounts


@dataclass(frozen=True)
class RunFacts:
    """Everything that a run showed until it ended or failed; None is what it did not come to.

    `records` are those of the whole stream. `stopped_at` ended a run to saturation, and `failure` says why a run came
    to no end. `settings` are those that others have set, and `start_s` is the time from start to healthy.
    """

    request: RunRequest
    started_at: datetime
    finished_at: datetime
    records: Sequence[Record] = ()
    stopped_at: PhaseEnd | None = None
    failure: str | None = None
    start_s: float | None = None
    stream_file: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    watched: Watched = field(default_factory=Watched)
    machine: MachineState | None = None
    database: DatabaseCounts | None = None
    durability: DurabilityFacts | None = None
    stored: StoredFacts = field(default_factory=StoredFacts)
    accounts: AgentAccounts | None = None

    @property
    def status(self) -> Status:
        """How the run ended, whatever its findings are."""
        if self.failure is not None:
            return Status.FAILED
        last = self.records[-1] if self.records else None
        is_cut_short = isinstance(last, End) and last.reason == "interrupted" and self.stopped_at is None
        return Status.INTERRUPTED if is_cut_short else Status.COMPLETED

    @property
    def counted_records(self) -> list[Record]:
        """The records without those of a phase that had begun when the run was stopped."""
        last = None if self.stopped_at is None else self.stopped_at.phase
        return [record for record in self.records if last is None or getattr(record, "phase", 0) <= last]
