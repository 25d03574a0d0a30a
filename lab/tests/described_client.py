"""A client that sends the requests of a plan one after the other, as a user of an engine does."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from bakeoff.documents.json_pointer import value_at
from bakeoff.workload.bodies import encoded
from bakeoff.workload.plan_records import Plan, PlannedOperation
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from described_service import RefusedError, Reply

_ROUNDS = 2


class Service(Protocol):
    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Reply:
        """Raises RefusedError for a request that it does not know."""
        ...


class DescribedClient:
    """A user of a plan, as an engine has them."""

    def __init__(self, plan: Plan, service: Service, user: int) -> None:
        self._plan = plan
        self._service = service
        self._user = user
        self._sequence = 0
        self._entities: dict[str, list[dict[str, str]]] = {}

    def problems(self, made_up: str = "") -> Iterator[str]:
        deletions = [each for each in self._plan.operations if each.effect is not None and each.effect.kind == "delete"]
        others = [each for each in self._plan.operations if each not in deletions]
        creations = list(_in_order([each for each in others if each.creates is not None]))
        for operation in [*creations, *others * _ROUNDS, *deletions]:
            self._sequence += 1
            try:
                yield from self._problems_of(operation)
            except RefusedError as error:
                if "404" not in str(error) or operation.name not in made_up:
                    yield f"{operation.name}: {error}"

    def _problems_of(self, operation: PlannedOperation) -> Iterator[str]:
        assert operation.http is not None
        numbers = RandomNumbers(1, self._user, self._sequence)
        known = self._entities.get(operation.needs or "", [])
        if operation.needs is not None and not known:
            yield f"{operation.name}: nothing created its {operation.needs}"
            return
        entity = known[-1] if known else {}
        event = Event("0000abcd", self._user, self._sequence, 1_768_473_000_000, captured=entity)
        message = render(operation.variants[0], numbers, event) if operation.variants else ""
        path = render(operation.http.path, numbers, event)
        templates = operation.http.header_templates
        headers = {name: render(template, numbers, event) for name, template in templates.items()}
        headers = {name.lower(): value for name, value in {**operation.http.headers, **headers}.items()}
        body = None
        if message:
            body = message.encode() if operation.body is None else _encoded(operation.body, message)
        reply = self._service.answer(operation.http.method, path, headers, body)
        expected = operation.http.expect
        if reply.status not in (expected if isinstance(expected, list | tuple) else [expected]):
            yield f"{operation.name}: {operation.http.method} {path} got {reply.status}"
        sent = {name: render(template, numbers, event) for name, template in operation.http.capture_templates.items()}
        yield from self._take(operation, reply, entity, sent)

    def _take(
        self, operation: PlannedOperation, reply: Reply, entity: dict[str, str], sent: dict[str, str]
    ) -> Iterator[str]:
        assert operation.http is not None
        if operation.creates is not None:
            captured = {name: _captured(reply, place) for name, place in operation.http.capture.items()}
            self._entities.setdefault(operation.creates, []).append({**captured, **sent})
        if operation.effect is not None and operation.effect.kind == "delete" and operation.needs is not None:
            self._entities[operation.needs].remove(entity)
        for pointer in operation.http.reply_templates:
            if str(value_at(reply.body, pointer)) != entity["id"]:
                yield f"{operation.name}: {pointer} of {reply.body} is not {entity['id']}"


def _in_order(creations: Sequence[PlannedOperation]) -> Iterator[PlannedOperation]:
    """What others need comes before them."""
    waiting = list(creations)
    while waiting:
        made_later = {each.creates for each in waiting}
        following = next((each for each in waiting if each.needs not in made_later), waiting[0])
        waiting.remove(following)
        yield following


def _encoded(kind: str, message: str) -> bytes:
    return encoded(kind, message if kind == "binary" else json.loads(message))


def _captured(reply: Reply, place: str) -> str:
    if place.startswith("header:"):
        headers: Mapping[str, Any] = reply.headers
        return str(headers[place.removeprefix("header:").rstrip("/")]).rpartition("/")[2]
    return str(value_at(reply.body, place))
