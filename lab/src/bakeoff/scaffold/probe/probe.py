"""Sends each operation a few times to a running service, and changes those that it refuses until they pass.

A description cannot state state machines, optimistic versions, uniqueness or headers that something before the service
asks for. The service does.
"""

import dataclasses
import http
import json
import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from bakeoff.conformance.service import Captured, Reply
from bakeoff.documents.checked import Json
from bakeoff.documents.json_pointer import members_of
from bakeoff.scaffold.probe.changes import Change, MessageTemplate, with_call, with_capture, with_message
from bakeoff.scaffold.probe.known_service import KnownService, Learnt
from bakeoff.scaffold.probe.repairs import changes_for, is_reading, named_in_message, places_of
from bakeoff.workload.declaration import DeclaredSession, HttpCall, Operation

_MOST_ROUNDS = 6
_MOST_TRIALS = 60
_CHECKED_ROUNDS = 4
_UNIMPLEMENTED = (http.HTTPStatus.METHOD_NOT_ALLOWED, http.HTTPStatus.NOT_IMPLEMENTED)
_MANY_VALUES = ("${uuid}", "${sequence}", "${run}", "${alphanumeric 8}")


class Probe(KnownService):
    """Sends each operation until it passes, or nothing is left to try."""

    def learn(self) -> Learnt:
        for name in self._in_order():
            if not self._waits(name):
                self._settle(name)
        self._settle_refused()
        self._link_what_passed_by_chance()
        self._look_for_effects()
        self._look_for_orphans()
        operations, sessions = self._in_sessions()
        self._check(operations, sessions)
        untried = [name for name in operations if self._waits(name)]
        login = self._refused_login if untried else ""
        requests = self.service.requests
        return Learnt(operations, sessions, self.lines, self.refused, self.unimplemented, requests, untried, login)

    @property
    def _refused_login(self) -> str:
        return next((name for name in self.refused if self.operations[name].login), "")

    def _waits(self, name: str, within: Sequence[str] = ()) -> bool:
        """Whether a request needs the token of a login that the service refuses, for itself or for its entity."""
        operation = self.operations.get(name)
        if not self._refused_login or operation is None or operation.login or name in within:
            return False
        creator = self._known(self.operations).creator(operation.needs)
        own = f"{self.service.call(operation)}{operation.message_over(self.service.protocol)}"
        return "${login." in own or (creator is not None and self._waits(creator.name, (*within, name)))

    def _in_order(self) -> Sequence[str]:
        """Logins and creations first, then what shows entities, what changes them, and what deletes them."""

        def rank(each: Operation) -> tuple[int, int]:
            call = self.service.call(each)
            slots = call.path.count("${") if isinstance(call, HttpCall) else 0
            deletes = each.effect is not None and each.effect.kind == "delete"
            is_read = is_reading(each, self.service.protocol)
            steps = [each.login, each.creates is not None and each.needs is None, is_read and each.needs is None]
            steps += [each.creates is not None, is_read, not deletes, True]
            return steps.index(True), slots

        return sorted(self.operations, key=lambda name: rank(self.operations[name]))

    def _settle(self, name: str) -> None:
        """Sends an operation, and what may repair it, until it passes or nothing is left to try."""
        reply = self._tried(name, self.operations, ())
        if reply.code == http.HTTPStatus.CONFLICT and self.operations[name].creates is not None:
            self._make_unique(name)
            reply = self._tried(name, self.operations, ())
        for _ in range(_MOST_ROUNDS):
            repaired = None if reply.is_good else self._repaired(name, reply)
            if repaired is None:
                break
            reply = repaired
        if not reply.is_good:
            self.refused[name] = reply.shown
            if reply.code in _UNIMPLEMENTED:
                self.unimplemented[name] = str(reply.status)
            return
        self.unimplemented.pop(name, None)
        self.replies[name] = reply
        self._take_status(name, reply)
        self._find_replies(name, reply)
        operation = self.operations[name]
        if operation.login:
            self.login = reply.captured(self.service.call(operation).capture) or {}
        if operation.creates is not None:
            self._find_captures(name, reply)
            self._make_unique(name)
            self._note_made(self.operations[name], reply)

    def _settle_refused(self) -> None:
        """Those that were refused once more, as long as one of them passes: it may be what another waits for."""
        count = 0
        while self.refused and len(self.refused) != count:
            count = len(self.refused)
            for name in list(self.refused):
                del self.refused[name]
                self._settle(name)

    def _link_what_passed_by_chance(self) -> None:
        """Messages that name an entity of this probe by a value of the description: another state has none of it."""
        for name in [each for each in self.replies if each not in self.refused]:
            for change in named_in_message(self.operations[name], self._known(self.operations), self.made):
                if self._tried(name, {**self.operations, **change.operations}, ()).is_good:
                    self._take(name, change)
                    break

    def _repaired(self, name: str, reply: Reply) -> Reply | None:
        """The first reply that passes, else the first complaint of something else: its change is taken."""
        helped: tuple[Change, Reply] | None = None
        changes = changes_for(self.operations[name], reply, self._known(self.operations))
        for _, change in zip(range(_MOST_TRIALS), changes, strict=False):
            found = self._tried(name, {**self.operations, **change.operations}, change.steps)
            if found.is_good:
                self._take(name, change)
                return found
            if helped is None and change.about and _is_of_something_else(reply, found, change.about):
                helped = (change, found)
        if helped is None:
            return None
        self._take(name, helped[0])
        return helped[1]

    def _take(self, name: str, change: Change) -> None:
        old = self._headers_of(name)
        self.operations |= change.operations
        self.headers |= {key: value for key, value in self._headers_of(name).items() if key not in old}
        # The tag of a request is no value for others.
        self.headers = {key: value for key, value in self.headers.items() if "${captured." not in value}
        if change.steps:
            self.before[name] = change.steps
        self.lines.append(f"{name} {change.words}.")

    def _headers_of(self, name: str) -> Mapping[str, str]:
        call = self.service.call(self.operations[name])
        return call.headers if isinstance(call, HttpCall) else call.metadata

    def _take_status(self, name: str, reply: Reply) -> None:
        call = self.service.call(self.operations[name])
        expected = [call.expect] if isinstance(call.expect, int | str) else list(call.expect)
        if reply.status not in expected:
            self.operations[name] = with_call(self.operations[name], self.service.protocol, expect=reply.status)
            self.lines.append(f"{name} answers {reply.status}, not {expected[0]}.")

    def _find_replies(self, name: str, reply: Reply) -> None:
        """Checks of a reply, and the entity that it shows, where these stand elsewhere than described."""
        operation = self.operations[name]
        call = self.service.call(operation)
        places = [pointer for pointer, _ in places_of(reply.document)]
        checks: dict[str, Json] = {}
        for pointer, value in call.reply.items():
            end = pointer.rsplit("/", 1)[-1]
            found = [pointer] if pointer in places else [each for each in places if each.rsplit("/", 1)[-1] == end]
            checks |= {found[0]: value} if found else {}
        if checks == call.reply:
            return
        self.operations[name] = with_call(operation, self.service.protocol, reply=checks)
        moved = next((each for each in checks if each not in call.reply), None)
        first = next(iter(call.reply))
        if moved is None or not moved.endswith(first):
            self.lines.append(f"{name} does not show {first}, which is not checked.")
            return
        self.lines.append(f"{name} shows {first} at {moved}.")
        if operation.reads is not None:
            reads = replace(operation.reads, document=moved.removesuffix(first) + operation.reads.document)
            self.operations[name] = replace(self.operations[name], reads=reads)

    def _find_captures(self, name: str, reply: Reply) -> None:
        """Captures that the reply does not have where the description says: elsewhere in it, or in Location."""
        call = self.service.call(self.operations[name])
        for key, place in call.capture.items():
            if reply.captured({key: place}) is not None:
                continue
            last = place.rsplit("/", 1)[-1]
            shown = [pointer for pointer, _ in places_of(reply.document) if pointer.rsplit("/", 1)[-1] == last]
            found = shown or (["header:location/"] if "location" in reply.headers else [])
            if not found:
                self.refused[name] = f"its reply has nothing at {place}: {reply.text[:80]}"
                return
            self.operations[name] = with_capture(self.operations[name], self.service.protocol, key, found[0])
            self.lines.append(f"{name} shows its {key} at {found[0]}, not at {place}.")

    def _make_unique(self, name: str) -> None:
        """Members with few values that must differ between entities get many."""
        operation = self.operations[name]
        message = operation.message_over(self.service.protocol)
        if message is None or operation.has_text or not message.lstrip().startswith("{"):
            return
        template = MessageTemplate(message)
        few = [each for each, value in template.members() if not any(many in value for many in _MANY_VALUES)]
        parent = self._fresh(operation.needs, self.operations)
        if not few or parent is None:
            return
        document = members_of(self.service.made(operation, parent, self.login).document)
        if all(self._sent_as(operation, parent, document).is_good for _ in range(2)):
            return
        for member in few:
            is_text = isinstance(document.get(member), str)
            value = f'"{member}-${{run}}-${{user}}-${{sequence}}"' if is_text else "${integer 1 2147483647}"
            varied = MessageTemplate(message).having([member], value)
            changed = with_message(operation, self.service.protocol, varied)
            other = members_of(self.service.made(changed, parent, self.login).document).get(member)
            if self._sent_as(changed, parent, {**document, member: other}).is_good:
                self.operations[name] = changed
                self.lines.append(f"{name} refuses two of one {member}: it is unique now.")
                return

    def _sent_as(self, operation: Operation, captured: Captured, document: Mapping[str, Json]) -> Reply:
        """The reply to a document, in a request whose path and headers are new."""
        sent = self.service.made(operation, captured, self.login)
        return self.service.send_again(operation, dataclasses.replace(sent, message=json.dumps(document)))

    def _look_for_effects(self) -> None:
        """Operations that an entity takes once, or that make others fail on it."""
        for name in self._writing():
            if name not in self.before and not self._passes_twice(name):
                self.before[name] = ()
                self.lines.append(f"{name} passes once on each {self.operations[name].needs}.")
        for name in self._writing():
            if name not in self.before:
                self._look_for_victims(name)

    def _writing(self) -> Sequence[str]:
        """Operations that pass, on an entity that exists, other than reads and deletions."""
        return [
            name
            for name, each in self.operations.items()
            if each.needs is not None and name in self.replies and name not in self.refused
            if not is_reading(each, self.service.protocol) and not _deletes(each)
        ]

    def _passes_twice(self, name: str) -> bool:
        operation = self.operations[name]
        captured = self._fresh(operation.needs, self.operations)
        if captured is None or operation.creates is not None:
            return True
        first = self.service.send(operation, captured, self.login)
        return not first.is_good or self.service.send(operation, captured, self.login).is_good

    def _look_for_victims(self, name: str) -> None:
        operation = self.operations[name]
        captured = self._fresh(operation.needs, self.operations)
        if captured is None or not self.service.send(operation, captured, self.login).is_good:
            return
        others = [
            each
            for each in self.operations.values()
            if each.needs == operation.needs and each.name in self.replies and each.name not in self.before
        ]
        for other in sorted(others, key=_deletes):
            if other.name in (name, *self.refused) or self.service.send(other, captured, self.login).is_good:
                continue
            kind = operation.needs
            if operation.creates is None:
                self.before[name] = ()
                self.lines.append(f"{other.name} is refused after {name}, which gets a new {kind} each time.")
            else:
                self.operations[other.name] = replace(other, weight=0)
                self.lines.append(f"{other.name} is refused after {name}, and has weight 0.")
            return

    def _look_for_orphans(self) -> None:
        """Operations on an entity that take others with them, which were made in its name: those have weight 0."""
        for within in [each for each in self.operations.values() if each.creates and each.needs]:
            shown = sorted(self._passing(within.creates), key=lambda each: not self._is_read(each))
            reading = next(iter(shown), None)
            for each in self._passing(within.needs):
                if reading is None or self._is_read(each) or each.name in self.before or not each.weight:
                    continue
                outer = self._fresh(within.needs, self.operations)
                made = None if outer is None else self.service.send(within, outer, self.login)
                inner = None if made is None or not made.is_good else made.captured(self.service.call(within).capture)
                if outer is None or inner is None or not self.service.send(each, outer, self.login).is_good:
                    continue
                if not self.service.send(reading, inner, self.login).is_good:
                    self.operations[each.name] = replace(each, weight=0)
                    self.lines.append(f"{reading.name} is refused after {each.name}, which has weight 0.")

    def _passing(self, kind: str | None) -> list[Operation]:
        """Operations on entities of a kind that the service accepts."""
        on_kind = (each for each in self.operations.values() if kind is not None and each.needs == kind)
        return [each for each in on_kind if each.name in self.replies and each.name not in self.refused]

    def _is_read(self, operation: Operation) -> bool:
        return is_reading(operation, self.service.protocol)

    def _in_sessions(self) -> tuple[dict[str, Operation], Sequence[DeclaredSession]]:
        """Operations that need a new entity as steps of sessions, on entities that nothing else uses."""
        operations, sessions = dict(self.operations), list[DeclaredSession]()
        for name, steps in self.before.items():
            original = self.operations[name]
            creator = self._known(self.operations).creator(original.needs)
            if creator is None or original.needs is None:
                continue
            kind = f"{original.needs} in sessions"
            first = f"{creator.name} in sessions"
            operations[first] = replace(creator, name=first, weight=0, creates=kind)
            named = [step if step in self.before else f"{step} in sessions" for step in steps]
            for step, own in zip(steps, named, strict=True):
                operations[own] = replace(self.operations[step], name=own, weight=0, needs=kind)
            operations[name] = replace(original, weight=0, needs=kind)
            title = f"{name} on a new {original.needs}"
            sessions.append(DeclaredSession(name=title, weight=max(1, original.weight), steps=[first, *named, name]))
        return operations, sessions

    def _check(self, operations: dict[str, Operation], sessions: Sequence[DeclaredSession]) -> None:
        """Sends all of them by turns, as a run does, on entities that the others have used."""
        entities: dict[str, list[Captured]] = {}
        sent = [
            each
            for each in operations.values()
            if each.name not in self.refused and not each.login and each.weight and not self._waits(each.name)
        ]
        for number in range(_CHECKED_ROUNDS):
            for operation in sent:
                if operation.name not in self.refused:
                    self._check_one(operation, operations, entities, number)
        for session in sessions:
            captured: Captured = {}
            for step in session.steps:
                # What its first step needs is no entity of the session.
                needed = (self._fresh(operations[step].needs, operations) or {}) if not captured else {}
                reply = self.service.send(operations[step], {**needed, **captured}, self.login)
                values = reply.captured(self.service.call(operations[step]).capture)
                if not reply.is_good or values is None:
                    self.refused[step] = reply.shown
                    break
                captured = {**captured, **values}

    def _check_one(
        self,
        operation: Operation,
        operations: dict[str, Operation],
        entities: dict[str, list[Captured]],
        number: int,
    ) -> None:
        known = entities.setdefault(operation.needs or "", [])
        if operation.needs is not None and not known:
            made = self._fresh(operation.needs, operations)
            known += [] if made is None else [made]
        if operation.needs is not None and not known:
            self.refused[operation.name] = f"not sent: no request creates the {operation.needs}"
            return
        entity = known[number % len(known)] if known else {}
        reply = self.service.send(operation, entity, self.login)
        call = self.service.call(operation)
        if not reply.is_good:
            self.refused[operation.name] = reply.shown
        elif _is_unexpected(reply, call.expect):
            expected = [call.expect] if isinstance(call.expect, int | str) else list(call.expect)
            operations[operation.name] = with_call(operation, self.service.protocol, expect=[*expected, reply.status])
            self.lines.append(f"{operation.name} answers {reply.status} too.")
        if _deletes(operation) and known:
            known.remove(entity)
        if operation.creates is not None and (values := reply.captured(call.capture)):
            entities.setdefault(operation.creates, []).append(values)


def _is_of_something_else(before: Reply, after: Reply, about: str) -> bool:
    """Whether a service complains of another thing than before, and not of the one that was changed."""
    if after.moved_to:
        return False
    plain = [re.sub(r"\w*\d\w*", "", f"{each.code} {each.shown}") for each in (before, after)]
    return after.code != 0 and plain[0] != plain[1] and about.lower() not in after.text.lower()


def _is_unexpected(reply: Reply, expect: int | str | Sequence[int] | Sequence[str]) -> bool:
    return reply.status != expect if isinstance(expect, int | str) else reply.status not in expect


def _deletes(operation: Operation) -> bool:
    return operation.effect is not None and operation.effect.kind == "delete"
