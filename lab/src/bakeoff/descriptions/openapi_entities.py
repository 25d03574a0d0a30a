"""Which entities an API keeps.

A POST creates them when its reply holds the id that another path asks for, a PUT when its path holds the id that the
client chooses, and a call such as createPet when its reply holds the id that other calls of that name ask for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bakeoff.descriptions.called_operations import Called, called_by
from bakeoff.descriptions.imported import Table
from bakeoff.descriptions.json_members import object_in, text_in
from bakeoff.descriptions.openapi_document import DescribedOperation, parameter_schema
from bakeoff.descriptions.openapi_names import (
    as_of_parent,
    capture_name,
    id_names,
    kind_in,
    names_of_id,
    names_of_variable,
    shape_of,
)
from bakeoff.descriptions.schema_merging import Schema, kind_of
from bakeoff.descriptions.schema_templates import SchemaTemplates

# Kinds of values that come back as they were sent; times may be written otherwise, and passwords are not shown.
_KEPT = ("string", "integer", "boolean")
_WRITTEN_OTHERWISE = {"date-time", "date", "time", "password", "uri", "url", "byte", "binary", "ipv6"}
_GONE = (404, 410)
_ID_KINDS = ("string", "integer", "number", None)


@dataclass(frozen=True, eq=False)
class Entity:
    """One kind of entity: `variable` is its id in the paths below `path`, `id_place` where the creating reply has it.

    Without a place the client chooses the id, in the path of the `creator`. `id_path` is the member that holds the id
    in messages, `shown_id` its place in the reply of `reading`, empty where that does not show it. With `can_compare` a
    read shows every member that writes send, as they were sent. `captured` are the captures that paths below `path`
    begin with, by the index of their variables: the ids of what it lies within, and its own. An entity of calls has a
    `called` in place of paths below its own.
    """

    kind: str
    path: str
    variable: str
    id_place: str
    id_path: Sequence[str]
    creator: DescribedOperation
    reading: DescribedOperation | None
    shown_id: str = ""
    can_compare: bool = False
    parent: "Entity | None" = None
    captured: Mapping[int, str] = field(default_factory=lambda: {0: "id"})
    called: Called | None = None

    @property
    def key(self) -> Sequence[str]:
        """The key of a stored entity, as effects and reads name it."""
        return [self.kind, *(f"${{captured.{each}}}" for each in self.captured.values())]

    def chooses(self, index: int) -> bool:
        """Whether the client chooses its id at a variable of the creator's path."""
        return not self.id_place and self.captured.get(index) == "id"

    def lies_within(self, other: "Entity") -> bool:
        return self.parent is not None and (self.parent is other or self.parent.lies_within(other))

    def is_item(self, described: DescribedOperation) -> bool:
        """Whether an operation is about one entity, and not about something within it."""
        return shape_of(described.path) == f"{shape_of(self.path)}/{{}}"

    @property
    def gone(self) -> int | None:
        """The status of a read after the deletion; None where the description has none."""
        return next((each for each in _GONE if self.reading is not None and self.reading.documents(each)), None)

    @cached_property
    def id_names(self) -> set[str]:
        """Names of members and parameters that hold its id in other messages."""
        return _reference_names(self.kind) | ({self.variable} if self.variable.lower() not in GENERIC else set())


GENERIC = {"id", "uuid", "key", "name", "slug", "code", "uid", "number"}


class Entities:
    """The entities of an API."""

    def __init__(self, described: Sequence[DescribedOperation], templates: SchemaTemplates) -> None:
        self._described = described
        self._templates = templates
        self._shapes = [(shape_of(each.path), each) for each in described]
        self._below = dict(_variables_below(described))
        self._sent: dict[DescribedOperation, Mapping[str, Schema]] = {}
        self._references: dict[tuple[DescribedOperation, Entity], list[str]] = {}
        self._calls = {each: found for each in described if (found := called_by(each.path)) is not None}
        self.all: list[Entity] = []
        for each in sorted(described, key=_depth):
            if (entity := self._created_by(each) or self._created_by_call(each)) is not None:
                self.all.append(entity)

    def created_by(self, described: DescribedOperation) -> Entity | None:
        """The entity that an operation creates."""
        return next((each for each in self.all if each.creator is described), None)

    def owner(self, described: DescribedOperation) -> Entity | None:
        """The entity that the path of an operation names, the innermost one: not the one that it creates."""
        shape = f"{shape_of(described.path)}/"
        found = [
            each
            for each in self.all
            if each.called is None and each.creator is not described
            if shape.startswith(f"{shape_of(each.path)}/{{}}")
        ]
        return max(found, key=lambda entity: len(entity.path), default=None)

    def called(self, described: DescribedOperation) -> Entity | None:
        """The entity that a call is about: it sends the identifier of one that another call creates."""
        own = self._calls.get(described)
        if own is None or own.creates:
            return None
        found = (each for each in self.all if each.called is not None and each.called.kind == own.kind)
        return next((each for each in found if self.own_names(described)), None)

    def own_names(self, described: DescribedOperation) -> list[str]:
        """The members and parameters of a call that hold the identifier of what it is about."""
        own = self._calls.get(described)
        asked = [text_in(each, "name") for each in described.parameters if each.get("in") == "query"]
        return [] if own is None else [each for each in (*self.sent(described), *asked) if own.names_own(each)]

    def collects(self, described: DescribedOperation) -> Entity | None:
        """The kind of entity that the path of an operation holds all of."""
        found = (each for each in self.all if each.called is None)
        return next((each for each in found if shape_of(each.path) == shape_of(described.path)), None)

    def state(self, described: DescribedOperation) -> tuple[Table | None, Table | None]:
        """The effect of an operation on a stored entity, and the entity that it shows."""
        created, owner = self.created_by(described), self.owner(described)
        if created is not None:
            return (self._written("put", created, described) if created.can_compare else None), None
        if (called := self.called(described)) is not None:
            return ({"kind": "delete", "key": called.key} if self._calls[described].deletes else None), None
        if owner is None or not owner.is_item(described):
            return None, None
        if described.method == "DELETE":
            return {"kind": "delete", "key": owner.key}, None
        if not owner.can_compare:
            return None, None
        if described is owner.reading:
            return None, {"document": "", "key": owner.key, **({} if owner.gone is None else {"absent": owner.gone})}
        if described.method not in ("PUT", "PATCH", "POST") or described.body is None:
            return None, None
        return self._written("put" if self._replaces(described, owner) else "merge", owner, described), None

    def references(self, described: DescribedOperation, entity: Entity) -> list[str]:
        """The members of what an operation sends that hold the id of an entity: named so, or as the entity itself."""
        if (described, entity) not in self._references:
            own = self.own_names(described) if self.called(described) is entity else []
            self._references[described, entity] = [
                name
                for name, each in self.sent(described).items()
                if name in entity.id_names or name in own or self._is_reference(name, each, entity)
            ]
        return self._references[described, entity]

    def _is_reference(self, name: str, member: Schema, entity: Entity) -> bool:
        """Whether a member called like an entity, such as author or authors, holds its id.

        It is a number or a UUID, or an object in which the id is called as the entity shows it.
        """
        is_list = kind_of(member) == "array"
        called = kind_in(name) if is_list else name
        if called.lower() != entity.kind.lower() or not entity.id_path:
            return False
        held = self._templates.merged(object_in(member, "items")) if is_list else member
        inner = self.id_within(held, entity)
        held = held if inner is None else self._members(held, written=True)[inner]
        shown: Schema | None = entity.creator.reply
        for step in entity.id_path:
            shown = self._members(shown, written=False).get(step) if shown is not None else None
        same = shown is not None and all(held.get(each) == shown.get(each) for each in ("type", "format"))
        return same and (inner is not None or kind_of(held) == "integer" or held.get("format") == "uuid")

    def id_within(self, member: Schema, entity: Entity) -> str | None:
        """The member of an object that holds the id of an entity; None where there is none that requests send."""
        if kind_of(member) != "object" or not entity.id_path:
            return None
        name = entity.id_path[-1]
        return name if name in self._members(member, written=True) else None

    def sent(self, described: DescribedOperation) -> Mapping[str, Schema]:
        """The members of what an operation sends."""
        if described not in self._sent:
            body = described.body
            is_object = body is not None and not body.is_whole
            self._sent[described] = self._members(body.schema, written=True) if body and is_object else {}
        return self._sent[described]

    def _written(self, kind: str, entity: Entity, described: DescribedOperation) -> Table:
        effect: Table = {"kind": kind, "document": "", "key": entity.key}
        sent = list(self.sent(described))
        # A service may replace the id that a client proposes by its own.
        others = [name for name in sent if [name] != list(entity.id_path)]
        return effect if len(others) == len(sent) else {**effect, "members": others}

    def _replaces(self, described: DescribedOperation, owner: Entity) -> bool:
        """Whether an update sends all that the creation sent, so that nothing of it is left."""
        sent, created = (set(self.sent(each)) for each in (described, owner.creator))
        return described.method == "PUT" and created <= sent

    def _created_by(self, creator: DescribedOperation) -> Entity | None:
        path, variable = self._collection(creator)
        if variable is None:
            return None
        outer = creator.path.partition("?")[0].count("{") - (path != creator.path)
        captured = self._captured(creator, outer)
        place = "" if path != creator.path else self._place_of_id(creator, path, variable)
        if captured is None or place is None:
            return None
        return self._entity(creator, path, variable, place, captured)

    def _collection(self, creator: DescribedOperation) -> tuple[str, str | None]:
        """The path of what holds all that an operation creates, and the variable of one; none where it creates none."""
        if creator.method == "POST":
            return creator.path, self._below.get(shape_of(creator.path)) or self._named_elsewhere(creator)
        path, _, last = creator.path.rstrip("/").rpartition("/")
        if creator.method != "PUT" or not re.fullmatch(r"\{[^{}]*\}", last):
            return path, None
        # A service that makes the ids itself updates by PUT, and one without the entity says so.
        is_made_elsewhere = any(shape == shape_of(path) and each.method == "POST" for shape, each in self._shapes)
        creates = creator.documents(201) or not (is_made_elsewhere or any(map(creator.documents, _GONE)))
        is_known = any(shape_of(each.path) == shape_of(path) for each in self.all)
        used = [each for shape, each in self._shapes if f"{shape}/".startswith(f"{shape_of(creator.path)}/")]
        return path, last[1:-1] if creates and not is_known and len(used) > 1 and self._is_chosen(creator) else None

    def _named_elsewhere(self, creator: DescribedOperation) -> str | None:
        """How other requests name what a POST creates, where no path does: its reply shows an id."""
        kind = kind_in(creator.path)
        if creator.variables or self._place_of(creator.reply, id_names(kind)) is None:
            return None
        asking = ((name, self._asking.get(name, [])) for name in sorted(_reference_names(kind)))
        return next((name for name, by in asking if any(each is not creator for each in by)), None)

    @cached_property
    def _asking(self) -> Mapping[str, Sequence[DescribedOperation]]:
        """The operations that send a member, or need a parameter of the query, by its name."""
        asking: dict[str, list[DescribedOperation]] = {}
        for each in self._described:
            for name in [*self.sent(each), *(text_in(parameter, "name") for parameter in each.required("query"))]:
                asking.setdefault(name, []).append(each)
        return asking

    def _is_chosen(self, creator: DescribedOperation) -> bool:
        """Whether any identifier may stand at the end of a path: the description gives no list of them."""
        schema = self._variable(creator, creator.variables[-1])
        return kind_of(schema) in _ID_KINDS and not {"enum", "const"} & schema.keys()

    def _variable(self, described: DescribedOperation, name: str) -> Schema:
        """The schema of a variable of a path."""
        return self._templates.merged(parameter_schema(described.in_path(name)))

    def _captured(self, creator: DescribedOperation, outer: int) -> dict[int, str] | None:
        """The captures of what the path of a creation names, and of its own id; None where a variable is a list."""
        owner = self.owner(creator)
        captured: dict[int, str] = {}
        for index, name in enumerate(creator.variables[:outer]):
            if kind_of(self._variable(creator, name)) not in _ID_KINDS:
                return None
            of_owner = {} if owner is None else owner.captured
            captured[index] = as_of_parent(of_owner[index]) if index in of_owner else capture_name(name)
        return {**captured, outer: "id"}

    def _created_by_call(self, creator: DescribedOperation) -> Entity | None:
        """An entity of calls: others of its name ask for the identifier that the reply shows."""
        called = self._calls.get(creator)
        if called is None or not called.creates or creator.method not in ("POST", "PUT") or creator.variables:
            return None
        others = [each for each, other in self._calls.items() if other.kind == called.kind and not other.creates]
        names = dict.fromkeys(name for each in others for name in self.own_names(each))
        place = self._place_of(creator.reply, [*names, *id_names(called.kind)]) if names else None
        if place is None:
            return None
        reading = next((each for each in others if self._calls[each].reads and self.own_names(each)), None)
        kind = self._unused_kind(creator.path, called.kind)
        id_path = place.split("/")[1:]
        shown = place if reading is not None and self._shows(reading, id_path) else ""
        return Entity(kind, creator.path, next(iter(names)), place, id_path, creator, reading, shown, called=called)

    def _entity(
        self, creator: DescribedOperation, path: str, variable: str, place: str, captured: Mapping[int, str]
    ) -> Entity:
        parent = self.owner(creator)
        item = [each for shape, each in self._shapes if shape == f"{shape_of(path)}/{{}}"]
        reading = next((each for each in item if each.method == "GET"), None)
        shown = {} if reading is None or reading.reply is None else self._members(reading.reply, written=False)
        writing = [creator, *(each for each in item if each.method in ("PUT", "PATCH") and each is not creator)]
        sent = [self.sent(each) for each in writing]
        chosen = names_of_variable(kind_in(path), variable)
        in_messages = place or (None if reading is None else self._place_of(reading.reply, chosen)) or ""
        id_path = in_messages.split("/")[1:] if in_messages.startswith("/") else [variable]
        can_compare = (
            any(sent)
            and all(members.keys() - id_path for members in sent if members)
            and parent is None
            and all(each.body.shows_members for each in writing if each.body is not None)
            and all(
                name in shown and kind_of(each) == kind_of(shown[name]) and _is_kept(each)
                for members in sent
                for name, each in members.items()
            )
            and not any(self._changes(each, path, shown) for each in self._described)
        )
        is_shown = in_messages.startswith("/") and reading is not None and self._shows(reading, id_path)
        kind = self._unused_kind(path, kind_in(path))
        shown_id = in_messages if is_shown else ""
        return Entity(kind, path, variable, place, id_path, creator, reading, shown_id, can_compare, parent, captured)

    def _changes(self, described: DescribedOperation, path: str, shown: Mapping[str, Schema]) -> bool:
        """Whether an operation may change what a read shows, other than by the members that it sends."""
        shape, item = shape_of(described.path), f"{shape_of(path)}/{{}}"
        if described.method in ("GET", "HEAD", "OPTIONS", "DELETE") or not f"{shape}/".startswith(f"{item}/"):
            return False
        is_whole = described.body is not None and described.body.is_whole
        if shape == item:
            asked = {text_in(each, "name") for each in described.required("query")}
            return bool(asked & shown.keys()) or is_whole or (described.method == "POST" and described.body is None)
        return described.body is None or is_whole or bool(self.sent(described).keys() & shown.keys())

    def _shows(self, reading: DescribedOperation, path: Sequence[str]) -> bool:
        schema: Schema | None = reading.reply
        for name in path:
            members = {} if schema is None else self._members(schema, written=False)
            if name not in members:
                return False
            schema = members[name]
        return True

    def _place_of_id(self, creator: DescribedOperation, path: str, variable: str) -> str | None:
        place = self._place_of(creator.reply, names_of_id(kind_in(path), variable))
        return place or ("header:location/" if "location" in creator.reply_headers else None)

    def _place_of(self, reply: Schema | None, names: Sequence[str]) -> str | None:
        """Where a reply has a member of one of the names: in itself, or in an object within it."""
        members = {} if reply is None else self._members(reply, written=False)
        wrapped = {
            name: self._members(each, written=False) for name, each in members.items() if kind_of(each) == "object"
        }
        for name in dict.fromkeys(names):
            if name in members and kind_of(members[name]) in _ID_KINDS:
                return f"/{name}"
        marked = {_plain(each) for each in names if each.lower() not in GENERIC}
        for name, each in members.items():
            # The id of authorization-models is authorization_model_id.
            if _plain(name) in marked and kind_of(each) in _ID_KINDS and "/" not in name:
                return f"/{name}"
        for name in dict.fromkeys(names):
            for outer, inner in wrapped.items():
                if name in inner and kind_of(inner[name]) in _ID_KINDS and "/" not in f"{outer}{name}":
                    return f"/{outer}/{name}"
        return None

    def _unused_kind(self, path: str, kind: str) -> str:
        """The name of a kind, with what stands before it in the path where there are several."""
        static = [part for part in path.split("/") if part and not part.startswith("{")]
        used = {each.kind for each in self.all}
        for part in reversed(static[:-1]):
            if kind not in used:
                return kind
            kind = f"{part}-{kind}"
        return kind if kind not in used else f"{kind}-{len(used)}"

    def _members(self, schema: Schema, *, written: bool) -> Mapping[str, Schema]:
        return self._templates.members(schema, written=written)


def _variables_below(described: Sequence[DescribedOperation]) -> Iterator[tuple[str, str]]:
    """For each path the variable that another one has behind it; the first of them counts."""
    for each in reversed(described):
        parts = shape_of(each.path).split("/{}")
        for index, name in enumerate(each.variables):
            if len(parts) == len(each.variables) + 1:
                yield "/{}".join(parts[: index + 1]), name


def _reference_names(kind: str) -> set[str]:
    return {f"{kind}Id", f"{kind}_id", f"{kind}ID", f"{kind}Uuid", f"{kind}_uuid"}


def _depth(creator: DescribedOperation) -> tuple[int, bool]:
    """How many variables stand before what an operation may create: what lies within something comes after it."""
    chooses = creator.method == "PUT"
    return len(creator.variables) - chooses, chooses


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_kept(schema: Schema) -> bool:
    is_file = "contentMediaType" in schema
    return kind_of(schema) in _KEPT and schema.get("format") not in _WRITTEN_OTHERWISE and not is_file
