"""Finds what a workload names and does not have: kinds of keys, captures, operations, slots and members of messages.

Each is an error of the author's that conformance would show late, or a run never.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.documents.checked import Json
from bakeoff.documents.json_pointer import members_of, names_of
from bakeoff.documents.toml_lines import Place
from bakeoff.text.hints import hint
from bakeoff.workload.bodies import ENCODED, BodyError, encoded, sample_of_binary
from bakeoff.workload.declaration import (
    PROTOCOLS,
    Declaration,
    GrpcCall,
    HttpBatch,
    HttpCall,
    HttpHealth,
    Operation,
    carried_on,
    sent_text,
)
from bakeoff.workload.sendable import unsendable
from bakeoff.workload.session_references import (
    carried_names,
    carried_to,
    is_sent_alone,
    session_problems,
    wrong_pause,
)
from bakeoff.workload.slots import CapturedSlot, KeySlot, LoginSlot, ValueSlot, slots_of
from bakeoff.workload.template import TemplateError, parse_template

# Values that make every template a text of the right kind: bare or in quotes, a number is valid anywhere.
_ANY_VALUE = "0"


@dataclass(frozen=True)
class _Context:
    """An operation, what each session that has it captures before, and what any operation captures."""

    operation: Operation
    sessions: Mapping[str, Sequence[str]]
    captures: Sequence[str]


@dataclass(frozen=True)
class Problem:
    """A problem at a place of workload.toml. Its line is the first below that contains `text`."""

    place: Place
    words: str
    text: str = ""


def problems_of(declared: Declaration) -> Iterator[Problem]:
    """Everything that a workload names and does not have."""
    names = [operation.name for operation in declared.operations]
    for place, words in session_problems(declared):
        yield Problem(place, words)
    known = [*names, *(session.name for session in declared.sessions)]
    for index, operation in enumerate(declared.operations):
        if operation.name in names[:index]:
            yield Problem(("operations", index), f"two operations are named {operation.name}. Names must differ.")
        for problem in _problems_of(declared, operation):
            place = ("operations", index, *problem.place)
            yield Problem(place, f"operation {operation.name}: {problem.words}", problem.text)
    yield from _read_back(declared)
    yield from _unsendable_paths(declared)
    for mix, weights in declared.mixes.items():
        for name in weights:
            if name not in known:
                words = f"the mix {mix} names the operation {name}, which does not exist."
                yield Problem(("mixes", mix, name), f"{words} {hint(name, known, 'Operations')}")


def _unsendable_paths(declared: Declaration) -> Iterator[Problem]:
    """Paths that no request line can carry."""
    calls: dict[Place, HttpCall | HttpBatch | HttpHealth | None] = {
        ("operations", index, "http"): each.http for index, each in enumerate(declared.operations)
    }
    calls |= {("batch", "http"): declared.batch.http, ("health", "http"): declared.health.http}
    for place, call in calls.items():
        if call is not None and (reason := unsendable(call.path)) is not None:
            yield Problem((*place, "path"), f'the path "{call.path}" {reason}.')


def _read_back(declared: Declaration) -> Iterator[Problem]:
    """Why an operation that reads entities back cannot: an audit reads any entity, deleted ones too."""
    by_name = {each.name: each for each in declared.operations}
    for name in declared.reads_back:
        if name not in by_name:
            words = f"no operation is named {name}. {hint(name, list(by_name), 'Operations')}"
            yield Problem(("read_back",), words, f'"{name}"')
        else:
            for words in _why_not_read_back(by_name[name]):
                yield Problem(("read_back",), f"the operation {name} {words}", f'"{name}"')


def _why_not_read_back(operation: Operation) -> Iterator[str]:
    if operation.reads is None:
        yield "has no reads table, which says what document its reply shows."
        return
    for protocol in PROTOCOLS:
        if operation.call(protocol) is not None and operation.reads.absent_over(protocol) is None:
            needed = f'needs reads.absent over {protocol}, such as [404, "NOT_FOUND"]: '
            yield f"{needed}the status of an entity that does not exist."


def _problems_of(declared: Declaration, operation: Operation) -> Iterator[Problem]:
    unknown, keys = operation.key, list(declared.keys)
    if unknown is not None and unknown not in keys:
        yield Problem(("key",), f'key = "{unknown}", but [keys] has no such kind. {hint(unknown, keys, "Kinds")}')
    if (reason := wrong_pause(operation.think_time)) is not None:
        yield Problem(("think_time",), reason)
    yield from _needs(declared, operation)
    yield from _lists(declared, operation)
    yield from _templates(declared, operation)
    yield from _members(operation)


def _needs(declared: Declaration, operation: Operation) -> Iterator[Problem]:
    needed = operation.needs
    if needed is None:
        return
    creators = [each for each in declared.operations if each.creates is not None]
    kinds = list(dict.fromkeys(each.creates for each in creators if each.creates is not None))
    if needed not in kinds:
        words = f'needs = "{needed}", but no operation creates that.'
        yield Problem(("needs",), f"{words} {hint(needed, kinds, 'Created are')}")
        return
    for protocol in PROTOCOLS:
        is_created = any(each.call(protocol) is not None for each in creators if each.creates == needed)
        if operation.call(protocol) is not None and not is_created:
            yield Problem((protocol,), f'needs "{needed}", which no operation with a {protocol} table creates.')


def _lists(declared: Declaration, operation: Operation) -> Iterator[Problem]:
    """The user's own members of a list: a kind that nothing creates, or a value that its creators do not capture."""
    for protocol in PROTOCOLS:
        call = operation.call(protocol)
        own = None if call is None or call.list is None else call.list.own
        if own is None:
            continue
        kinds = list(dict.fromkeys(each.creates for each in declared.operations if each.creates is not None))
        captured = _captured_by_creators(declared, own.kind, protocol)
        if own.kind not in kinds:
            words = (
                f'list.own.kind = "{own.kind}", but no operation creates that. {hint(own.kind, kinds, "Created are")}'
            )
            yield Problem((protocol, "list"), words, f'"{own.kind}"')
        elif own.capture not in captured:
            words = f'list.own.capture = "{own.capture}": what creates {own.kind} does not capture it.'
            yield Problem(
                (protocol, "list"), f"{words} {hint(own.capture, captured, 'Captured are')}", f'"{own.capture}"'
            )


def _templates(declared: Declaration, operation: Operation) -> Iterator[Problem]:
    """Slots that nothing fills, in the message, the requests, the replies and the keys of the stored document."""
    effect_key = () if operation.effect is None else operation.effect.key
    read_key = () if operation.reads is None else operation.reads.key
    for protocol in PROTOCOLS:
        call = operation.call(protocol)
        if call is None:
            continue
        captured = [*_captured_for(declared, operation, protocol), *carried_on(call.capture)]
        calls = [each.call(protocol) for each in declared.operations]
        captures = list(dict.fromkeys(name for each in calls if each is not None for name in each.capture))
        context = _Context(operation, carried_to(declared, operation, protocol), captures)
        logins = _captured_by_login(declared, protocol)
        for place, template in _of_requests(operation, protocol, call):
            yield from _slots(place, template, context, captured, None if place[-1] == "message" else logins)
        for pointer, value in call.reply.items():
            if isinstance(value, str):
                yield from _slots((protocol, "reply", pointer), value, context, captured, None)
        for name, captured_at in call.capture.items():
            if (text := sent_text(captured_at)) is not None:
                yield from _slots((protocol, "capture", name), text, context, captured, None)
        most = None if call.list is None else call.list.most
        if isinstance(most, str):
            yield from _slots((protocol, "list"), most, context, captured, None)
        for name, key, names in (("effect", effect_key, [*call.capture, *captured]), ("reads", read_key, captured)):
            for part in key:
                yield from _slots((name,), part, context, names, None)


def _of_requests(operation: Operation, protocol: str, call: HttpCall | GrpcCall) -> Iterator[tuple[Place, str]]:
    message = operation.message_over(protocol)
    if message is not None:
        yield operation.place_of_message(protocol), message
    if isinstance(call, HttpCall):
        yield (protocol, "path"), call.path
        for name, value in call.headers.items():
            yield (protocol, "headers", name), value
    else:
        for name, value in call.metadata.items():
            yield (protocol, "metadata", name), value


def _captured_for(declared: Declaration, operation: Operation, protocol: str) -> list[str]:
    """Values captured before an operation: by the creator of its entity, or by its sessions if only they use it."""
    needed = [] if operation.needs is None else _captured_by_creators(declared, operation.needs, protocol)
    carried = carried_to(declared, operation, protocol)
    if not carried or is_sent_alone(declared, operation):
        return needed
    return [*needed, *carried_names(carried)]


def _captured_by_creators(declared: Declaration, kind: str, protocol: str) -> list[str]:
    creators = [each.call(protocol) for each in declared.operations if each.creates == kind]
    captures = [call.capture for call in creators if call is not None]
    return [name for name in (captures[0] if captures else {}) if all(name in each for each in captures)]


def _captured_by_login(declared: Declaration, protocol: str) -> list[str]:
    calls = [each.call(protocol) for each in declared.operations if each.login]
    return [name for call in calls if call is not None for name in call.capture]


def _slots(
    place: Place, template: str, context: _Context, captured: Sequence[str], logins: Sequence[str] | None
) -> Iterator[Problem]:
    """Problems with the slots of one template. `logins` of None: logins fill nothing here."""
    operation, sessions = context.operation, context.sessions
    try:
        segments = parse_template(template)
    except TemplateError as error:
        yield Problem(place, error.message, _unknown_slot(template))
        return
    if any(slots_of(segments, KeySlot)) and operation.key is None:
        yield Problem(place, "${key} is the operation's key, but it has none: add key = …, a kind of [keys].", "${key}")
    for slot in slots_of(segments, CapturedSlot):
        name = slot.name
        if slot.prefix is not None:
            yield from _query_part(place, slot, context)
        elif name not in captured:
            yield Problem(place, _not_captured(name, operation, captured, sessions), f"${{captured.{name}}}")
    named = list(_named_slots(operation))
    for name in (slot.name for slot in slots_of(segments, ValueSlot)):
        if name not in named:
            words = f"no slot of the operation is named {name}. {hint(name, named, 'Named are')}"
            yield Problem(place, f"${{value.{name}}}: {words}", f"${{value.{name}}}")
    for name in (slot.name for slot in slots_of(segments, LoginSlot)):
        text = f"${{login.{name}}}"
        if logins is None:
            yield Problem(place, f"{text} stands in headers, metadata and paths only.", text)
        elif name not in logins:
            words = f"no operation with login = true captures {name}."
            yield Problem(place, f"{text}: {words} {hint(name, logins, 'Captured are')}", text)


def _query_part(place: Place, slot: CapturedSlot, context: _Context) -> Iterator[Problem]:
    """A part of a query outside of a path, or with a value that nothing captures."""
    text = f"${{captured.{slot.name} {slot.prefix}}}"
    if place[-1] != "path":
        yield Problem(place, f"{text} stands in paths only.", text)
    elif slot.name not in context.captures:
        words = f"no operation captures {slot.name}. {hint(slot.name, context.captures, 'Captured are')}"
        yield Problem(place, f"{text}: {words}", text)


def _named_slots(operation: Operation) -> Iterator[str]:
    """Names of slots, such as page of `${page=integer 1 9}`, wherever an operation's requests have them."""
    for protocol in PROTOCOLS:
        call = operation.call(protocol)
        for _, template in () if call is None else _of_requests(operation, protocol, call):
            yield from re.findall(r"\$\{(\w+)=", template)


def _not_captured(
    name: str, operation: Operation, captured: Sequence[str], sessions: Mapping[str, Sequence[str]]
) -> str:
    text, needed = f"${{captured.{name}}}", operation.needs
    lacking = [session for session, carried in sessions.items() if name not in carried]
    if len(lacking) < len(sessions):
        return f"{text}: {_where_it_lacks(lacking)}"
    if sessions and needed is None:
        names = list(dict.fromkeys(each for carried in sessions.values() for each in carried))
        return f"{text}: no earlier step of {', '.join(sessions)} captures {name}. {hint(name, names, 'Captured are')}"
    if needed is None and not captured:
        return f'{text}: nothing is captured for it. Add needs = "…", the kind that another operation creates.'
    source = f"what creates {needed}" if needed is not None else "the operation"
    return f"{text}: {source} does not capture {name}. {hint(name, captured, 'Captured are')}"


def _where_it_lacks(lacking: Sequence[str]) -> str:
    if lacking:
        return f"the session {lacking[0]} does not capture it before this step."
    return (
        "only a session carries it, but the operation is also sent by itself. Give it weight = 0, and leave it out of "
        "mixes and rates, or let needs name what captures it."
    )


def _unknown_slot(template: str) -> str:
    """The unknown slot, to find its line."""
    for found in re.finditer(r"\$\{[^{}]*\}", template):
        try:
            parse_template(found.group())
        except TemplateError:
            return found.group()
    return ""


def _members(operation: Operation) -> Iterator[Problem]:
    """A message that is no JSON, or no body of its kind, and a stored document that is no part of it."""
    if operation.body in ENCODED:
        yield from _bodies(operation)
    if operation.has_text:
        if operation.effect is not None and operation.effect.document is not None:
            yield Problem(("effect",), f"the document is a part of a JSON message, but the body is {operation.body}.")
        return
    messages = {operation.place_of_message(each): operation.message_over(each) for each in PROTOCOLS}
    for place, message in messages.items():
        if message is not None and message.strip():
            yield from _members_of(operation, place, message)


def _bodies(operation: Operation) -> Iterator[Problem]:
    """Messages that fit no form, parts or bytes, and a content-type without the boundary of the parts."""
    call, message = operation.http, operation.message_over("http")
    if call is None:
        yield Problem(("body",), f'body = "{operation.body}" is for HTTP, but the operation has no http table.')
        return
    if operation.body == "multipart" and any(name.lower() == "content-type" for name in call.headers):
        yield Problem(("http", "headers"), "the content-type of a multipart body names its boundary: leave it out.")
    if message is None:
        yield Problem(("body",), f'body = "{operation.body}", but there is no message to make it of.')
        return
    try:
        if operation.body == "binary":
            encoded("binary", sample_of_binary(parse_template(message)))
        else:
            encoded(operation.body, json.loads(_sample(message.strip())))
    except BodyError as error:
        yield Problem(operation.place_of_message("http"), f'body = "{operation.body}": {error}.')
    except (ValueError, TemplateError):
        return  # Named as a message that is no JSON, or as a slot that is not one.


def _members_of(operation: Operation, place: Place, message: str) -> Iterator[Problem]:
    try:
        document = json.loads(filled(message.strip()))
    except ValueError as error:
        yield Problem(place, f"the message is not JSON when its slots are filled: {error}.")
        return
    effect = operation.effect
    if effect is not None and effect.document is not None:
        yield from _pointer(document, effect.document, effect.members)


def _pointer(document: Json, pointer: str, stored: Sequence[str]) -> Iterator[Problem]:
    reached = ""
    for part, name in zip(pointer.split("/")[1:], names_of(pointer), strict=True):
        members = members_of(document)
        if name not in members:
            words = f'document = "{pointer}", but the message has no {name} at "{reached}".'
            yield Problem(("effect",), f"{words} {hint(name, list(members), 'Members there')}")
            return
        document, reached = members[name], f"{reached}/{part}"
    known = members_of(document)
    for name in stored:
        if name not in known:
            words = f'members names {name}, but the message has none at "{reached}".'
            yield Problem(("effect",), f"{words} {hint(name, list(known), 'Members there')}", f'"{name}"')


def filled(message: str) -> str:
    """The message with a value in the place of each slot."""
    return re.sub(r"\$\{([a-z]+) ?([^{}]*)\}", lambda found: _value(found[1], found[2]), message)


def _sample(message: str) -> str:
    """Likewise, with texts as long as they will be: base64 depends on that."""
    return filled(re.sub(r"\$\{alphanumeric (\d{1,4})\}", lambda found: "0" * int(found[1]), message))


def _value(slot: str, arguments: str) -> str:
    if slot == "choice":
        return arguments.split("|")[0]
    return "" if slot == "fill" else _ANY_VALUE
