"""A running target as integrity checks see it: its callers, its database from the side, and events no case has sent."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from bakeoff.conformance.case import Call, Case, Profile
from bakeoff.conformance.runner import Speaker, speaker_to
from bakeoff.conformance.stored_rows import PostgresRows
from bakeoff.postgres.relay import DatabaseRelay
from bakeoff.postgres.server import Server
from bakeoff.processes.request_client import RequestClient
from bakeoff.targets.access import Access
from bakeoff.targets.health import health_check
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import Plan
from bakeoff.workload.stored_effects import StoringEvent, storing_event

_SHOWN = 5


@dataclass(frozen=True)
class Probed:
    """`relay` is the target's own way to the database, where the lab could put one there; `problems_before` are what
    spoke against durability before the target started."""

    workload: Workload
    protocol: str
    access: Access
    client: RequestClient
    server: Server
    stored: PostgresRows
    relay: DatabaseRelay | None
    problems_before: Sequence[str]
    cases: Sequence[Case]
    plan: Plan | None
    _numbers: "count[int]" = field(default_factory=count)

    def event(self, key: str | None = None) -> StoringEvent:
        """A new event, for a new key or the given one."""
        event = None if self.plan is None else storing_event(self.plan, next(self._numbers), key)
        assert event is not None, "only a workload whose first operation stores by itself has events"
        return event

    def speaker(self, user_agent: str | None = None) -> Speaker:
        return speaker_to(
            self.protocol, self.workload, self.access, self.client, is_reachable=True, user_agent=user_agent
        )

    @property
    def has_events(self) -> bool:
        """Whether what an event stores is known without looking at a reply."""
        return self.plan is not None

    @property
    def updates(self) -> bool:
        """Whether an event may come again for a key that exists."""
        key = None if self.plan is None else self.plan.operations[0].key
        return self.plan is not None and key is not None and self.plan.keys[key].reuse is not None

    @property
    def merges(self) -> bool:
        effect = None if self.plan is None else self.plan.operations[0].effect
        return effect is not None and effect.kind == "merge"

    @property
    def is_healthy(self) -> bool:
        return health_check(self.workload, self.protocol, self.client).answer(self.access).is_healthy

    def invalid(self, most: int) -> list[Case]:
        """Single messages that the contract refuses in core."""
        return [case for case in self.cases if _is_refused(case, self.protocol)][:most]

    def missing(self, events: Sequence[StoringEvent]) -> list[str]:
        """Events that are not stored as they should be, looked up from another connection."""
        stored = {key: json.loads(text) for key, text in self.stored.all().items()}
        lost = [each for each in events if stored.get(tuple(each.row.key)) != json.loads(each.row.document)]
        names = ", ".join("/".join(event.row.key) for event in lost[:_SHOWN])
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        return [f"{len(lost)} of {len(events)} acknowledged events are not stored: {names}{more}"] if lost else []


def plan_for(workload: Workload, protocol: str, access: Access) -> Plan | None:
    """The plan that events are made of; None where what they store depends on replies, or their path on the event."""
    spoken = "grpc" if protocol == "grpc" else "http"
    first = workload.declared.operations[0]
    has_own_path = first.http is not None and "${" in first.http.path
    if first.call(spoken) is None or first.has_text or (spoken == "http" and has_own_path):
        return None
    plan = compile_plan(workload, Load("conformance", spoken, access.host, access.port, "smoke", phases=[]))
    return None if storing_event(plan, 0) is None else plan


def _is_refused(case: Case, protocol: str) -> bool:
    if case.profile is not Profile.CORE or case.call is not Call.SINGLE or case.token or case.steps:
        return False
    if case.given or case.message is None:
        return False
    if protocol == "grpc":
        return case.grpc is not None and case.grpc.method is None and case.grpc.expect.code == ("INVALID_ARGUMENT",)
    return case.http is not None and case.http.method is None and case.http.expect.status in (400, 422)
