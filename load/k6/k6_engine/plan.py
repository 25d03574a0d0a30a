"""The plan as the engine needs it: checked, split into groups of phases that one k6 process can run."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from k6_engine.segment import WHOLE, Segment

_ABOVE = Path(__file__).resolve().parents[3]
# In the clone's root, or in the installed package.
SCHEMA = _ABOVE / ("lab/src/bakeoff/formats" if (_ABOVE / "lab").is_dir() else "formats") / "plan.schema.json"

PhaseKind = Literal["duration", "iterations", "rate"]


# Parts of an operation, or of its call, that this engine does not interpret.
_NATIVE_ONLY = (
    ("reads", "verified reads"),
    ("login", "login"),
    ("header_templates", "headers with slots"),
    ("metadata_templates", "metadata with slots"),
    ("reply_templates", "reply checks with slots"),
    ("capture_templates", "captures of what was sent"),
    ("list", "list checks"),
    ("pick", "choice among needed entities"),
    ("think_time_ms", "pause of an operation's own"),
    ("body", "form, multipart or binary bodies"),
    ("rate", "rate of an operation's own"),
)


class PlanError(Exception):
    """A plan that is not one. The message is one line for a person."""


@dataclass(frozen=True)
class Phase:
    """One phase of the plan; `index` counts from 0 over the whole plan.

    `virtual_users` are this engine's, of `users_in_test` that all engines have together.
    """

    index: int
    name: str
    kind: PhaseKind
    virtual_users: int
    users_in_test: int
    duration_ms: int | None


@dataclass(frozen=True)
class Group:
    """Consecutive phases of one kind: one k6 process keeps its virtual users and connections over all of them."""

    phases: tuple[Phase, ...]
    first_user: int

    @property
    def users_in_test(self) -> int:
        """Of the largest phase, of all engines: k6 numbers users over all segments of a test."""
        return max(phase.users_in_test for phase in self.phases)


@dataclass(frozen=True)
class Plan:
    """A valid plan; `document` is the plan as it was read, and `segment` this engine's part of it."""

    document: dict[str, Any]
    phases: tuple[Phase, ...]
    segment: Segment = WHOLE

    @property
    def protocol(self) -> Literal["http", "grpc"]:
        protocol: Literal["http", "grpc"] = self.document["transport"]["protocol"]
        return protocol

    @property
    def batch(self) -> int:
        """Messages in one request."""
        batch: int = self.document["transport"]["batch"]
        return batch

    @property
    def timeout_ms(self) -> int:
        timeout_ms: int = self.document["transport"]["timeout_ms"]
        return timeout_ms

    @property
    def virtual_users(self) -> int:
        """This engine's, of the largest phase."""
        return max(phase.virtual_users for phase in self.phases)

    def operation_names(self) -> dict[str, str]:
        """Operations by the name that their calls have in k6's rows; a request with several messages is a batch."""
        if self.batch > 1:
            return {"batch": "batch"}
        return {str(index): operation["name"] for index, operation in enumerate(self.document["operations"])}

    def check_rates(self) -> dict[str, float]:
        """The fraction of replies whose content is checked, by operation."""
        operations = self.document["operations"]
        calls = [self.document["batch"]] if self.batch > 1 else [each[self.protocol] for each in operations]
        rates = [self.document["verify_share"] if call and call.get("reply") else 0 for call in calls]
        return dict(zip(self.operation_names().values(), rates, strict=True))

    def groups(self) -> Iterator[Group]:
        """The phases as k6 processes, in order. No two groups share a virtual user: its keys would be made twice."""
        first_user = 0
        for phases in _runs_of_one_kind(self.phases):
            group = Group(phases, first_user)
            yield group
            first_user += group.users_in_test

    def document_of(self, group: Group) -> dict[str, Any]:
        """The plan with the phases of one group only."""
        first, last = group.phases[0].index, group.phases[-1].index
        return self.document | {"phases": self.document["phases"][first : last + 1]}


def read_plan(path: Path, segment: Segment = WHOLE) -> Plan:
    """Reads and checks a plan of a file. Raises PlanError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PlanError(f"cannot read the plan {path}: {error.strerror}") from error
    return plan_of(content, str(path), segment)


def plan_of(content: bytes, source: str, segment: Segment = WHOLE) -> Plan:
    """The plan that a text holds, checked; `source` is where it comes from. Raises PlanError."""
    try:
        document = json.loads(content)
    except ValueError as error:
        raise PlanError(f"the plan {source} is not JSON: {error}") from error
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    problem = best_match(Draft202012Validator(schema).iter_errors(document))
    if problem is not None:
        place = "/".join(str(part) for part in problem.absolute_path) or "the whole"
        raise PlanError(f"the plan {source} is not valid at {place}: {_shortened(problem.message)}")
    phases = tuple(_phase(index, phase, segment) for index, phase in enumerate(document["phases"]))
    return Plan(document, phases, segment)


def refusal(plan: Plan) -> str | None:
    """Why this engine cannot do what the plan says, or None. `engine.toml` says the same beforehand."""
    transport = plan.document["transport"]
    operations = plan.document["operations"]
    if transport["stream"]:
        return "the k6 engine does not send streams: use batches, or the native engine"
    usual = {"http_version": "1.1", "gzip": False, "ping": None}
    for part, value in usual.items():
        if transport.get(part, value) != value:
            return f"the k6 engine has no option for {part}: use the native engine"
    if not transport.get("keep_alive", True):
        return "the k6 engine keeps its connections: leave keep-alive on, or use the native engine"
    if transport["connections"] is not None:
        return "the k6 engine has one connection for each virtual user: leave out the number of connections"
    if plan.document["ledger"] is not None:
        return "the k6 engine writes no ledger of acknowledged operations: use the native engine to audit"
    if plan.document.get("cookies"):
        return "the k6 engine does not keep cookies for a workload: use the native engine"
    if plan.document.get("sessions"):
        return "the k6 engine has no sessions: use the native engine"
    if any(operation["creates"] or operation["needs"] for operation in operations):
        return "the k6 engine does not use values captured from replies: use the native engine"
    for part, name in _NATIVE_ONLY:
        if any(operation.get(part) or (operation[plan.protocol] or {}).get(part) for operation in operations):
            return f"the k6 engine has no {name}: use the native engine"
    if any(isinstance((operation[plan.protocol] or {}).get("expect"), list) for operation in operations):
        return "the k6 engine accepts one status for each operation: use the native engine"
    if any(phase.get("arrival") == "poisson" for phase in plan.document["phases"]):
        return "the k6 engine has a constant arrival rate only: use the native engine for poisson"
    if any("until_steady" in phase for phase in plan.document["phases"]):
        return "the k6 engine holds a phase for as long as it was configured at first: leave out until_steady"
    return _idle_phase(plan) or _missing_part(plan)


def _idle_phase(plan: Plan) -> str | None:
    """An engine without users writes nothing of its phase, and could not be distinguished from one that failed."""
    for phase, document in zip(plan.phases, plan.document["phases"], strict=True):
        for divided, unit in ((phase.users_in_test, "users"), (document.get("iterations"), "iterations")):
            if divided is not None and plan.segment.share_of(divided) == 0:
                own = f"{plan.segment.agent} has none of the {divided} {unit}"
                return f"{own} of the phase {phase.name}: use fewer agents"
    return None


def _missing_part(plan: Plan) -> str | None:
    protocol = plan.protocol
    if any(operation[protocol] is None for operation in plan.document["operations"]):
        return f"an operation of the plan says nothing about {protocol}"
    if plan.batch > 1 and protocol == "grpc" and (plan.document["batch"] or {"field": ""}).get("field") is None:
        return "the k6 engine does not send streams of messages: use the native engine"
    if plan.batch > 1 and plan.document["batch"] is None:
        return "the plan asks for batches and does not say how the workload takes them"
    if protocol == "grpc" and plan.document["proto"] is None:
        return "the plan asks for gRPC and has no proto"
    return None


def _phase(index: int, phase: dict[str, Any], segment: Segment) -> Phase:
    kind: PhaseKind = "rate" if "rate" in phase else "iterations" if "iterations" in phase else "duration"
    users = phase["max_virtual_users"] if kind == "rate" else phase["virtual_users"]
    return Phase(index, phase["name"], kind, segment.share_of(users), users, phase.get("duration_ms"))


def _runs_of_one_kind(phases: tuple[Phase, ...]) -> Iterator[tuple[Phase, ...]]:
    # A phase of iterations ends when they are done, so none can follow it in the same process.
    for _, members in groupby(phases, key=lambda phase: phase.index if phase.kind == "iterations" else phase.kind):
        yield tuple(members)


def _shortened(message: str) -> str:
    return message if len(message) <= 200 else f"{message[:200]}…"
