"""What a probe knows of a service, and how it sends an operation on a new entity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bakeoff.conformance.service import Captured, Reply, Service
from bakeoff.scaffold.probe.repairs import Known
from bakeoff.workload.declaration import DeclaredSession, Operation


@dataclass(frozen=True)
class Learnt:
    """The operations and sessions that the service accepts, what was learnt, and those it refuses, with its reply.

    `unimplemented` are those of them that it does not have, with the status that says so. `untried` are the operations
    that wait for the token of a refused login, `refused_login`.
    """

    operations: Mapping[str, Operation]
    sessions: Sequence[DeclaredSession]
    lines: Sequence[str]
    refused: Mapping[str, str]
    unimplemented: Mapping[str, str]
    requests: int
    untried: Sequence[str] = ()
    refused_login: str = ""


@dataclass
class KnownService:
    """What is known of a service so far. `before` are the steps before operations that need a new entity."""

    service: Service
    operations: dict[str, Operation]
    replies: dict[str, Reply] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    before: dict[str, Sequence[str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    unimplemented: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    login: Captured = field(default_factory=dict)
    made: dict[str, set[str]] = field(default_factory=dict)

    def _known(self, operations: Mapping[str, Operation]) -> Known:
        return Known(self.service.protocol, operations, self.replies, self.headers)

    def _note_made(self, creator: Operation, reply: Reply) -> Captured | None:
        """What a creation captures; the identifier is among those that the probe has made."""
        captured = reply.captured(self.service.call(creator).capture)
        if creator.creates is not None and captured is not None:
            self.made.setdefault(creator.creates, set()).add(captured.get("id", ""))
        return captured

    def _tried(self, name: str, operations: Mapping[str, Operation], steps: Sequence[str]) -> Reply:
        """The reply to an operation on a new entity, after some steps."""
        operation = operations[name]
        captured = self._fresh(operation.needs, operations)
        if captured is None:
            return Reply(0, "not sent", text=f"no request creates the {operation.needs}")
        for step in steps:
            reply = self.service.send(operations[step], captured, self.login)
            values = reply.captured(self.service.call(operations[step]).capture)
            if not reply.is_good or values is None:
                return reply if not reply.is_good else Reply(0, "", text=f"{step} shows less than it did")
            captured = {**captured, **values}
        return self.service.send(operation, captured, self.login)

    def _fresh(
        self, kind: str | None, operations: Mapping[str, Operation], within: Sequence[str] = ()
    ) -> Captured | None:
        """What the creation of a new entity captures; None where there is none, or it needs itself."""
        if kind is None:
            return {}
        creator = None if kind in within else self._known(operations).creator(kind)
        parent = None if creator is None else self._fresh(creator.needs, operations, (*within, kind))
        if creator is None or parent is None:
            return None
        reply = self.service.send(creator, parent, self.login)
        if not reply.is_good:
            return None
        self.replies[creator.name] = reply
        return self._note_made(creator, reply)
