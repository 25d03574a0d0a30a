"""Counts what one request of each operation of a target sends to PostgreSQL, on a server that counts."""

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TypeVar

import msgspec

from bakeoff.conformance.calls import first_of
from bakeoff.conformance.service import Reply, Sent, Service, service_at
from bakeoff.errors import BakeoffError
from bakeoff.options.variant import Variant
from bakeoff.postgres.relay import DatabaseRelay
from bakeoff.postgres.statement_counter import StatementCounter
from bakeoff.results.statements import OperationStatements
from bakeoff.running.contender import Contender, protocol_of
from bakeoff.running.fresh_state import fresh_state
from bakeoff.running.service import at_work
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import Target
from bakeoff.workload.declaration import Operation
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import Plan, PlannedOperation
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.slots import Segments

# More than any pool has connections: the first requests over each prepare statements and look types up.
_FIRST = 20
_COUNTED = 9
_SEED = 1
# A driver may send BEGIN, and the next statement at once: one round trip. Without a latency, the server's reply to the
# first may be quicker than the second.
_LATENCY_S = 0.001

_Count = TypeVar("_Count")


def count_statements(
    testbed: Testbed, target: Target, workload: Workload, variant: Variant
) -> Mapping[str, OperationStatements]:
    """The counts by operation, of most of its requests. Raises BakeoffError where an operation fails."""
    with contextlib.ExitStack() as stack:
        own = stack.enter_context(fresh_state(testbed, target, workload, variant))
        assert own.server is not None, "a server counts"
        counter = StatementCounter(own.server)
        relay = stack.enter_context(DatabaseRelay(own.server, before_reply=partial(time.sleep, _LATENCY_S)))
        requests = stack.enter_context(_requests_to(replace(own, server=relay.server), target, workload, variant))

        def counted(send: Callable[[], None]) -> OperationStatements:
            before, trips = counter.count(), relay.round_trips
            send()
            after = counter.count()
            return OperationStatements(
                statements=after.statements - before.statements,
                round_trips=relay.round_trips - trips,
                rows=after.rows - before.rows,
            )

        return {each.name: usual(_counts_of(requests, each, counted)) for each in requests.plan.operations}


def statements_after_load(testbed: Testbed, contender: Contender, operations: Sequence[str]) -> Mapping[str, int]:
    """What most requests of these operations send once the others have stored something: lists are not empty then.

    An operation is left out where a request of it fails, which is said.
    """
    target, workload, variant = contender.target, contender.workload, contender.variant
    with contextlib.ExitStack() as stack:
        own = stack.enter_context(fresh_state(testbed, target, workload, variant))
        assert own.server is not None, "a server counts"
        counter = StatementCounter(own.server)
        requests = stack.enter_context(_requests_to(own, target, workload, variant))

        def counted(send: Callable[[], None]) -> int:
            before = counter.count().statements
            send()
            return counter.count().statements - before

        planned = requests.plan.operations
        for each in planned:
            if each.creates is not None:
                with _said(testbed):
                    requests.send(each, _FIRST)
        found = {}
        for each in planned:
            if each.name in operations:
                with _said(testbed):
                    found[each.name] = Counter(_counts_of(requests, each, counted)).most_common(1)[0][0]
        return found


@contextlib.contextmanager
def _said(testbed: Testbed) -> Iterator[None]:
    """A failure of one operation is told, and the others go on."""
    try:
        yield
    except BakeoffError as error:
        testbed.progress.say(f"Statements were not counted. {error.message}")


@contextlib.contextmanager
def _requests_to(testbed: Testbed, target: Target, workload: Workload, variant: Variant) -> Iterator["_Requests"]:
    """The requests of the workload's plan to the target, which is at work on the testbed's state."""
    log, spoken = testbed.project.logs / f"{target.name}-statements.log", protocol_of(target)
    with at_work(testbed, target, workload, variant, log) as running:
        access = running.access
        plan = compile_plan(workload, Load(target.name, spoken, access.host, access.port, "smoke", phases=[]))
        declared = {each.name: each for each in workload.declared.operations}
        yield _Requests(target.name, plan, declared, service_at(workload, spoken, access))


def _counts_of(
    requests: "_Requests", operation: PlannedOperation, counted: Callable[[Callable[[], None]], _Count]
) -> Sequence[_Count]:
    requests.send(operation, _FIRST)
    return [counted(requests.prepared(operation)) for _ in range(_COUNTED)]


def usual(found: Sequence[OperationStatements]) -> OperationStatements:
    """What most requests send: now and then one opens a connection, or the target does something by itself.

    Of the requests with as many statements the fewest round trips: a busy machine may delay what a driver sends without
    waiting, but not save a wait.
    """
    statements = Counter(each.statements for each in found).most_common(1)[0][0]
    alike = [each for each in found if each.statements == statements]
    most = Counter(alike).most_common(1)[0][0]
    return msgspec.structs.replace(most, round_trips=min(each.round_trips for each in alike))


@dataclass(frozen=True)
class _Requests:
    """Makes the requests of a plan, one after another, each on an entity of its own."""

    target: str
    plan: Plan
    declared: Mapping[str, Operation]
    service: Service
    _numbers: "count[int]" = field(default_factory=count)
    _login: dict[str, str] = field(default_factory=dict)

    def send(self, operation: PlannedOperation, times: int) -> None:
        for _ in range(times):
            self.prepared(operation)()

    def prepared(self, operation: PlannedOperation) -> Callable[[], None]:
        """Sends the operation's next request; what that needs is there already."""
        login = next((each for each in self.plan.operations if each.login), None)
        if login is not None and not self._login:
            self._login.update(self._captured(login, self._sent(login, {})))
        made = self._made(operation, self._entity(operation))

        def send() -> None:
            self._reply(operation, made)

        return send

    def _entity(self, operation: PlannedOperation) -> Mapping[str, str]:
        """The values of a new entity of the kind that the operation needs."""
        if operation.needs is None:
            return {}
        creator = next(each for each in self.plan.operations if each.creates == operation.needs)
        return self._captured(creator, self._sent(creator, self._entity(creator)))

    def _sent(self, operation: PlannedOperation, captured: Mapping[str, str]) -> Reply:
        return self._reply(operation, self._made(operation, captured))

    def _captured(self, operation: PlannedOperation, reply: Reply) -> Mapping[str, str]:
        captured = reply.captured(self.service.call(self.declared[operation.name]).capture)
        if captured is None:
            raise BakeoffError(f"{self.target}: the reply of {operation.name} lacks what it must show: {reply.shown}.")
        return captured

    def _reply(self, operation: PlannedOperation, sent: Sent) -> Reply:
        reply = self.service.send_again(self.declared[operation.name], sent)
        expected = first_of(self.service.call(self.declared[operation.name]))
        if reply.status != expected:
            words = f"expected {expected}, got {reply.shown}. Run its conformance cases first."
            raise BakeoffError(f"{self.target}: {operation.name}: {words}")
        return reply

    def _made(self, operation: PlannedOperation, captured: Mapping[str, str]) -> Sent:
        number, plan = next(self._numbers), self.plan
        numbers = RandomNumbers(_SEED, 0, number)
        event = Event(plan.run, 0, number, plan.base_time_ms, captured=captured, login=self._login)
        if operation.key is not None:
            key = render(plan.keys[operation.key].format, numbers, event)
            event = Event(plan.run, 0, number, plan.base_time_ms, key, captured, self._login)

        def rendered(template: Segments) -> str:
            return render(template, numbers, event)

        message = render(operation.variants[0], numbers, event, plan.size_bytes)
        call = operation.http if self.service.protocol == "http" else operation.grpc
        if call is operation.http and operation.http is not None:
            path, templates = rendered(operation.http.path), operation.http.header_templates
            headers = {**operation.http.headers, **{name: rendered(each) for name, each in templates.items()}}
            return Sent(path, headers, message)
        metadata = {} if operation.grpc is None else operation.grpc.metadata_templates
        return Sent("", {name: rendered(each) for name, each in metadata.items()}, message)
