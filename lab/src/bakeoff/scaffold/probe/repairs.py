"""Changes that may make a refused operation pass, the likeliest first."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import urlsplit

from msgspec.structs import replace

from bakeoff.conformance.service import Reply
from bakeoff.descriptions.proto_types import singular
from bakeoff.documents.checked import Json
from bakeoff.scaffold.probe.changes import (
    Change,
    MessageTemplate,
    paths_of,
    with_call,
    with_capture,
    with_header,
    with_message,
)
from bakeoff.text.prose import listed
from bakeoff.workload.declaration import DeclaredEffect, HttpCall, Operation

_REFUSED = (400, 409, 412, 422, 428)
_MISSING = (400, 404, 410, 422)
_HEADER_NAME = re.compile(r"\b[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+\b|(?<=header[ :'\"`])[\w-]+")
_VALUES = ("${uuid}", "1", "bakeoff")
_NOT_ASKED_FOR = ("content-type", "content-length", "if-match", "if-none-match", "accept-encoding", "user-agent")
_VERSION = re.compile(r"(?:.*_)?(?:version|revision|rev|etag|generation)|.*(?:Version|Revision|Etag|ETag|Generation)")
_ID_MEMBER = re.compile(r"(?:.*_)?(?:id|uuid|slug)|.*(?:Id|Uuid|Slug)|[a-z]{3,}id")
_IDS = ("id", "uuid", "uid", "guid", "slug", "name", "key", "code")
# A part of a path with a value that nothing captured.
_MADE_UP = re.compile(r"/[\w.~-]*\$\{(?!captured|login)[^{}]*\}[\w.~-]*")
_NAMED = re.compile(r"\$\{(\w+)=[^{}]*\}")
_DEEPEST_PLACE = 4
_SHORTEST_STEM = 3
_MOST_PLACES = 12


@dataclass(frozen=True)
class Known:
    """What a probe knows when it repairs: the operations, the latest good reply of each, and headers that helped."""

    protocol: str
    operations: Mapping[str, Operation]
    replies: Mapping[str, Reply]
    headers: Mapping[str, str]

    def creator(self, kind: str | None) -> Operation | None:
        """The operation that creates entities of a kind."""
        found = (each for each in self.operations.values() if kind is not None and each.creates == kind)
        return next((each for each in found if each.needs != kind), None)


Repair = Callable[[Operation, Reply, Known], Iterator[Change]]


def changes_for(operation: Operation, reply: Reply, known: Known) -> Iterator[Change]:
    for repair in _REPAIRS:
        yield from repair(operation, reply, known)


def _moved(operation: Operation, reply: Reply, known: Known) -> Iterator[Change]:
    """The path that a redirect names: the same with a slash at its end or without, or one without variables."""
    call = operation.call(known.protocol)
    if not reply.moved_to or not isinstance(call, HttpCall):
        return
    path, mark, query = call.path.partition("?")
    paths = [path.removesuffix("/") if path.endswith("/") else f"{path}/"]
    moved = urlsplit(reply.moved_to).path
    if "${" not in path and moved:
        paths.append(moved)
    for each in paths:
        changed = with_call(operation, "http", path=f"{each}{mark}{query}")
        yield Change(f"is at {each}, not at {path}", {operation.name: changed}, about=f"moved to {reply.moved_to}")


def _headers(operation: Operation, reply: Reply, known: Known) -> Iterator[Change]:
    """Headers that helped before, and those that the reply names."""
    if reply.code not in (*_REFUSED, 401, 403):
        return
    for headers in (*({name: value} for name, value in known.headers.items()), known.headers):
        changed = operation
        for name, value in headers.items():
            changed = with_header(changed, known.protocol, name, value)
        yield Change(f"needs {_listed(headers)}", {operation.name: changed}, about=next(iter(headers), ""))
    sent = {name.lower() for name in _headers_of(operation, known.protocol)}
    for name in named_headers(reply):
        if name.lower() not in (*sent, *_NOT_ASKED_FOR):
            for value in _VALUES:
                changed = with_header(operation, known.protocol, name, value)
                yield Change(f"needs the header {name}", {operation.name: changed}, about=name)


def named_headers(reply: Reply) -> Sequence[str]:
    """Names of headers in what a reply says, those after the word header first."""
    located = list(_located(reply.document))
    if "header" not in reply.text.lower() and reply.code not in (401, 428):
        found = [each for each in _HEADER_NAME.findall(reply.text) if "-" in each and each[0].isupper()]
        return list(dict.fromkeys([*located, *found]))
    return list(dict.fromkeys([*located, *_HEADER_NAME.findall(reply.text)]))


def _located(value: Json) -> Iterator[str]:
    """Names that follow "header" in a list, as validators write the place of a fault."""
    if isinstance(value, list):
        for place, name in pairwise(value):
            if place == "header" and isinstance(name, str):
                yield name
    if isinstance(value, list | Mapping):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _located(each)


def _tags(operation: Operation, reply: Reply, known: Known) -> Iterator[Change]:
    """The entity tag of what is changed, from its creation, or from a read of it."""
    creator = known.creator(operation.needs)
    if reply.code not in _REFUSED or creator is None or known.protocol != "http":
        return
    for source in (creator, *_reads(operation, known)):
        tag = known.replies[source.name].headers.get("etag", "") if source.name in known.replies else ""
        if tag:
            quoted = re.fullmatch(r'(?P<weak>W/)?".*"', tag)
            value = "${captured.etag}" if quoted is None else f'{quoted["weak"] or ""}"${{captured.etag}}"'
            changed = with_header(operation, known.protocol, "If-Match", value)
            yield from _from_source(operation, changed, source, creator, "etag", "header:etag", known, "the ETag")


def _versions(operation: Operation, reply: Reply, known: Known) -> Iterator[Change]:
    """A version in the message, from the creation of the entity, or from a read of it."""
    creator = known.creator(operation.needs)
    if reply.code not in _REFUSED or creator is None or not _has_members(operation, known.protocol):
        return
    template = MessageTemplate(str(operation.message_over(known.protocol)))
    for path in paths_of(template.document):
        if not _VERSION.fullmatch(path[-1]):
            continue
        for source in (creator, *_reads(operation, known)):
            shown = known.replies.get(source.name, Reply(0, "")).document
            for pointer, value in places_of(shown):
                if pointer.rsplit("/", 1)[-1].lower() == path[-1].lower():
                    slot = f"${{captured.{path[-1]}}}"
                    message = template.having(path, f'"{slot}"' if isinstance(value, str) else slot)
                    changed = with_message(operation, known.protocol, message)
                    words = f"the {path[-1]}"
                    yield from _from_source(operation, changed, source, creator, path[-1], pointer, known, words)


def _from_source(
    operation: Operation,
    changed: Operation,
    source: Operation,
    creator: Operation,
    name: str,
    place: str,
    known: Known,
    words: str,
) -> Iterator[Change]:
    steps = [] if source is creator else [source.name]
    capturing = with_capture(source, known.protocol, name, place)
    shown = f"needs {words} that {source.name} shows"
    yield Change(shown, {operation.name: changed, source.name: capturing}, steps)


def _links(operation: Operation, reply: Reply, known: Known) -> Iterator[Change]:
    """A made-up value in the path: what a creation or a list of the path before it shows."""
    call = operation.call(known.protocol)
    if reply.code not in _MISSING or not isinstance(call, HttpCall) or operation.needs is not None:
        return
    for found in _MADE_UP.finditer(call.path.partition("?")[0]):
        before = call.path[: found.start()].rstrip("/")
        sources = (each for each in known.operations.values() if each is not operation and each.name in known.replies)
        for source in sorted(sources, key=lambda each: each.creates is None):
            its_call = source.http
            if its_call is None or its_call.path.split("?")[0].rstrip("/") != before:
                continue
            kind = source.creates or singular(re.sub(r"\W+", "-", before.rsplit("/", 1)[-1]).strip("-")) or source.name
            path = f"{call.path[: found.start() + 1]}${{captured.id}}{call.path[found.end() :]}"
            # A creation captures what its path sent.
            sent = "sent:" + _NAMED.sub(r"${value.\1}", found[0][1:])
            capture = {name: "sent:${captured.id}" if place == sent else place for name, place in call.capture.items()}
            for pointer in _likely_ids(known.replies[source.name], listed=_is_list(source)):
                making = replace(with_capture(source, "http", "id", pointer), creates=kind)
                changed = replace(with_call(operation, "http", path=path, capture=capture), needs=kind)
                if call.method == "DELETE" and path.endswith("/${captured.id}"):
                    gone = DeclaredEffect(kind="delete", key=[kind, "${captured.id}"])
                    changed = replace(changed, effect=gone)
                words = f"names what {source.name} shows at {pointer}"
                yield Change(words, {operation.name: changed, source.name: making})


def _named_entities(operation: Operation, reply: Reply, known: Known) -> Iterator[Change]:
    """A made-up identifier in the message: that of an entity which another operation creates."""
    if reply.code in (*_REFUSED, 404):
        yield from named_in_message(operation, known)


def named_in_message(
    operation: Operation, known: Known, made: Mapping[str, Set[str]] | None = None
) -> Iterator[Change]:
    """The identifier of an entity in a member of the message.

    With `made`, the identifiers that a probe has made by kind, only where it names one of them, or is called as a kind.
    """
    if operation.needs is not None or not _has_members(operation, known.protocol):
        return
    template = MessageTemplate(str(operation.message_over(known.protocol)))
    creators = [each for each in known.operations.values() if each.creates and each.name in known.replies]
    for path in paths_of(template.document):
        if not _ID_MEMBER.fullmatch(path[-1]):
            continue
        called = path[-1].lower().replace("_", "")
        for creator in sorted(creators, key=lambda each: not called.startswith(str(each.creates).replace("-", ""))):
            call = creator.call(known.protocol)
            if creator is operation or call is None or "id" not in call.capture:
                continue
            stem, kind = called.removesuffix("id"), str(creator.creates)
            is_called = len(stem) >= _SHORTEST_STEM and kind.replace("-", "").startswith(stem)
            if made is not None and not is_called and str(template.at(path)) not in made.get(kind, ()):
                continue
            shown = dict(places_of(known.replies[creator.name].document)).get(call.capture["id"])
            slot = "${captured.id}" if isinstance(shown, int) else '"${captured.id}"'
            changed = with_message(operation, known.protocol, template.having(path, slot))
            words = f"names {'an' if kind[0] in 'aeiou' else 'a'} {kind} in {path[-1]}"
            yield Change(words, {operation.name: replace(changed, needs=creator.creates)})


def _other_ids(operation: Operation, reply: Reply, known: Known) -> Iterator[Change]:
    """Another value of the creation's reply as the identifier."""
    creator = known.creator(operation.needs)
    if reply.code not in _MISSING or creator is None or creator.name not in known.replies:
        return
    call = creator.call(known.protocol)
    present = None if call is None else call.capture.get("id")
    if present is None:
        return
    for pointer in _likely_ids(known.replies[creator.name], listed=False):
        if pointer != present:
            making = with_capture(creator, known.protocol, "id", pointer)
            yield Change(f"names what {creator.name} shows at {pointer}, not at {present}", {creator.name: making})


def _orders(operation: Operation, reply: Reply, known: Known) -> Iterator[Change]:
    """Another operation on the same entity before this one, or two."""
    if operation.needs is None or reply.code not in (*_REFUSED, 403, 404):
        return
    writing = [
        each.name
        for each in known.operations.values()
        if each.needs == operation.needs and each is not operation and each.name in known.replies
        if each.creates is None and (each.effect is None or each.effect.kind != "delete")
        if not is_reading(each, known.protocol)
    ]
    for first in writing:
        yield Change(f"comes after {first}", {}, [first])
    for first in writing:
        for second in writing:
            if first != second:
                yield Change(f"comes after {first} and {second}", {}, [first, second])


def _omissions(operation: Operation, reply: Reply, known: Known) -> Iterator[Change]:
    """One member of the message, or of the query, left out; or all that are objects and lists."""
    if reply.code not in (400, 409, 422, 500):
        return
    if _has_members(operation, known.protocol):
        template = MessageTemplate(str(operation.message_over(known.protocol)))
        free = {name: value for name, value in template.members() if "${captured." not in value}
        for name in free:
            changed = with_message(operation, known.protocol, template.without(name))
            yield Change(f"is refused with {name}, which is left out", {operation.name: changed}, about=name)
        inner = [name for name, value in free.items() if value[:1] in ("{", "[")]
        if len(inner) > 1:
            changed = with_message(operation, known.protocol, template.without(*inner))
            yield Change(f"is refused with {listed(inner)}, which are left out", {operation.name: changed})
    call = operation.call(known.protocol)
    path, _, query = call.path.partition("?") if isinstance(call, HttpCall) else ("", "", "")
    for part in query.split("&") if query else []:
        rest = [each for each in query.split("&") if each != part]
        changed = with_call(operation, "http", path=path + ("?" + "&".join(rest) if rest else ""))
        yield Change(f"is refused with {part.split('=')[0]} in its query, which is left out", {operation.name: changed})


_REPAIRS: Sequence[Repair] = (
    *(_moved, _headers, _tags, _versions, _links, _named_entities, _other_ids, _orders),
    _omissions,
)


def places_of(document: Json, place: str = "", depth: int = 0) -> Iterator[tuple[str, Json]]:
    """The texts and whole numbers in a document, by their pointers; of a list the first item's."""
    if isinstance(document, Mapping) and depth < _DEEPEST_PLACE:
        for name, value in document.items():
            escaped = str(name).replace("~", "~0").replace("/", "~1")
            yield from places_of(value, f"{place}/{escaped}", depth + 1)
    elif isinstance(document, list) and document and depth < _DEEPEST_PLACE:
        yield from places_of(document[0], f"{place}/*", depth + 1)
    elif isinstance(document, str | int) and not isinstance(document, bool):
        yield place, document


def _likely_ids(reply: Reply, *, listed: bool) -> Sequence[str]:
    """Places that may hold an identifier, those called so first; those of a list's items where it is one."""
    found = [pointer for pointer, _ in places_of(reply.document) if ("/*" in pointer) == listed]
    located = ["header:location/"] if "location" in reply.headers and not listed else []

    def rank(place: str) -> tuple[int, int]:
        name = place.rsplit("/", 1)[-1].lower()
        called = next((index for index, known in enumerate(_IDS) if name == known), None)
        ends = next((index for index, known in enumerate(_IDS) if name.endswith(known)), len(_IDS))
        return (called if called is not None else len(_IDS) + ends, place.count("/"))

    return [*located, *sorted(found, key=rank)][:_MOST_PLACES]


def _is_list(operation: Operation) -> bool:
    """Whether it shows entities that exist, and makes none."""
    return operation.http is not None and operation.http.method == "GET"


def is_reading(operation: Operation, protocol: str) -> bool:
    """Whether a request of an operation changes nothing, as far as its method shows."""
    call = operation.call(protocol)
    if isinstance(call, HttpCall):
        return call.method in ("GET", "HEAD", "OPTIONS")
    name = "" if call is None else call.method.rsplit("/", 1)[-1]
    return name.lower().startswith(("get", "list", "read", "find", "search", "describe", "fetch", "lookup", "check"))


def _reads(operation: Operation, known: Known) -> list[Operation]:
    about = [each for each in known.operations.values() if each.needs == operation.needs and each is not operation]
    return [each for each in about if each.name in known.replies and is_reading(each, known.protocol)]


def _headers_of(operation: Operation, protocol: str) -> Mapping[str, str]:
    call = operation.call(protocol)
    if isinstance(call, HttpCall):
        return call.headers
    return {} if call is None else call.metadata


def _has_members(operation: Operation, protocol: str) -> bool:
    message = operation.message_over(protocol)
    return message is not None and not operation.has_text and message.strip().startswith("{")


def _listed(headers: Mapping[str, str]) -> str:
    return f"the header{'' if len(headers) == 1 else 's'} {', '.join(headers)}"
