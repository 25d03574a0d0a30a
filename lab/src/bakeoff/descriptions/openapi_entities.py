"""Which entities an API keeps: a POST creates them when its reply holds the id that another path asks for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.descriptions.imported import Table
from bakeoff.descriptions.json_members import object_in, text_in
from bakeoff.descriptions.openapi_document import DescribedOperation
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

    `id_path` is the member that holds its id in messages. With `can_compare` a read shows every member that writes
    send, as they were sent. An entity within another one has a `parent`, whose id its reply has at `parent_place`.
    """

    kind: str
    path: str
    variable: str
    id_place: str
    id_path: Sequence[str]
    creator: DescribedOperation
    reading: DescribedOperation | None
    shows_id: bool
    can_compare: bool
    parent: "Entity | None" = None
    parent_place: str = ""

    @property
    def key(self) -> Sequence[str]:
        """The key of a stored entity, as effects and reads name it."""
        return [self.kind, "${captured.id}"]

    def is_item(self, described: DescribedOperation) -> bool:
        """Whether an operation is about one entity, and not about something within it."""
        return _shape(described.path) == f"{_shape(self.path)}/{{}}"

    @property
    def gone(self) -> int | None:
        """The status of a read after the deletion; None where the description has none."""
        return next((each for each in _GONE if self.reading is not None and self.reading.documents(each)), None)

    @property
    def id_names(self) -> set[str]:
        """Names of members and parameters that hold its id in other messages."""
        names = {f"{self.kind}Id", f"{self.kind}_id", f"{self.kind}ID", f"{self.kind}Uuid", f"{self.kind}_uuid"}
        return names | ({self.variable} if self.variable.lower() not in GENERIC else set())


GENERIC = {"id", "uuid", "key", "name", "slug", "code", "uid", "number"}


class Entities:
    """The entities of an API."""

    def __init__(self, described: Sequence[DescribedOperation], templates: SchemaTemplates) -> None:
        self._described = described
        self._templates = templates
        self._shapes = [(_shape(each.path), each) for each in described]
        self._below = dict(_variables_below(described))
        self._sent: dict[DescribedOperation, Mapping[str, Schema]] = {}
        self.all: list[Entity] = []
        for each in sorted(described, key=lambda operation: len(operation.variables)):
            if (entity := self._created_by(each)) is not None:
                self.all.append(entity)

    def created_by(self, described: DescribedOperation) -> Entity | None:
        """The entity that an operation creates."""
        return next((each for each in self.all if each.creator is described), None)

    def owner(self, described: DescribedOperation) -> Entity | None:
        """The entity that the path of an operation names, the innermost one."""
        shape = f"{_shape(described.path)}/"
        found = [each for each in self.all if shape.startswith(f"{_shape(each.path)}/{{}}")]
        return max(found, key=lambda entity: len(entity.path), default=None)

    def collects(self, described: DescribedOperation) -> Entity | None:
        """The kind of entity that the path of an operation holds all of."""
        return next((each for each in self.all if _shape(each.path) == _shape(described.path)), None)

    def state(self, described: DescribedOperation) -> tuple[Table | None, Table | None]:
        """The effect of an operation on a stored entity, and the entity that it shows."""
        created, owner = self.created_by(described), self.owner(described)
        if created is not None:
            return (self._written("put", created, described) if created.can_compare else None), None
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
        sent = self.sent(described)
        return [
            name for name, each in sent.items() if name in entity.id_names or self._is_reference(name, each, entity)
        ]

    def shown_by(self, entity: Entity) -> Mapping[str, Schema]:
        """The members of the reply that creates an entity."""
        reply = entity.creator.reply
        return {} if reply is None else self._members(reply, written=False)

    def _is_reference(self, name: str, member: Schema, entity: Entity) -> bool:
        """Whether a member called like an entity, such as author or authors, holds its id: a number or a UUID."""
        is_list = kind_of(member) == "array"
        called = kind_in(name) if is_list else name
        held = self._templates.merged(object_in(member, "items")) if is_list else member
        if called.lower() != entity.kind.lower() or not entity.id_path:
            return False
        shown: Schema | None = entity.creator.reply
        for step in entity.id_path:
            shown = self._members(shown, written=False).get(step) if shown is not None else None
        same = shown is not None and all(held.get(each) == shown.get(each) for each in ("type", "format"))
        return same and (kind_of(held) == "integer" or held.get("format") == "uuid")

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
        variable = self._below.get(_shape(creator.path))
        if creator.method != "POST" or variable is None:
            return None
        parent = self._parent(creator)
        if creator.variables and parent is None:
            return None
        place = self._place_of_id(creator, variable)
        if place is None:
            return None
        parent_place = (
            "" if parent is None else self._place_of(creator, sorted({creator.variables[-1], *parent.id_names}))
        )
        if parent is not None and not parent_place:
            return None
        return self._entity(creator, variable, place, parent, parent_place or "")

    def _parent(self, creator: DescribedOperation) -> Entity | None:
        """The only entity that the path of a creation names."""
        owner = self.owner(creator)
        return owner if owner is not None and len(creator.variables) == 1 and owner.parent is None else None

    def _entity(
        self, creator: DescribedOperation, variable: str, place: str, parent: Entity | None, parent_place: str
    ) -> Entity:
        item = [each for shape, each in self._shapes if shape == f"{_shape(creator.path)}/{{}}"]
        reading = next((each for each in item if each.method == "GET"), None)
        shown = {} if reading is None or reading.reply is None else self._members(reading.reply, written=False)
        writing = [creator, *(each for each in item if each.method in ("PUT", "PATCH"))]
        sent = [self.sent(each) for each in writing]
        id_path = place.split("/")[1:] if place.startswith("/") else [variable]
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
            and not any(self._changes(each, creator, shown) for each in self._described)
        )
        shows_id = place.startswith("/") and reading is not None and self._shows(reading, id_path)
        kind = self._unused_kind(creator.path)
        return Entity(
            kind, creator.path, variable, place, id_path, creator, reading, shows_id, can_compare, parent, parent_place
        )

    def _changes(self, described: DescribedOperation, creator: DescribedOperation, shown: Mapping[str, Schema]) -> bool:
        """Whether an operation may change what a read shows, other than by the members that it sends."""
        shape, item = _shape(described.path), f"{_shape(creator.path)}/{{}}"
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

    def _place_of_id(self, creator: DescribedOperation, variable: str) -> str | None:
        kind = kind_in(creator.path)
        own = re.sub(rf"^{re.escape(kind)}[-_]?", "", variable, flags=re.IGNORECASE)
        names = [variable, own, own[:1].lower() + own[1:], "id", f"{kind}Id", f"{kind}_id", "uuid", "_id", "Id", "ID"]
        place = self._place_of(creator, [each for each in names if each])
        return place or ("header:location/" if "location" in creator.reply_headers else None)

    def _place_of(self, creator: DescribedOperation, names: Sequence[str]) -> str | None:
        """Where the reply of a creation has a member of one of the names: in itself, or in an object within it."""
        members = {} if creator.reply is None else self._members(creator.reply, written=False)
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

    def _unused_kind(self, path: str) -> str:
        """The singular of a collection's name, with what stands before it where there are several."""
        static = [part for part in path.split("/") if part and not part.startswith("{")]
        used, kind = {each.kind for each in self.all}, kind_in(path)
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
        parts = _shape(each.path).split("/{}")
        for index, name in enumerate(each.variables):
            if len(parts) == len(each.variables) + 1:
                yield "/{}".join(parts[: index + 1]), name


def _shape(path: str) -> str:
    """A path in which parameters have no names: those of one place are one entity, however they are named."""
    return re.sub(r"\{[^{}]*\}", "{}", path).rstrip("/")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_kept(schema: Schema) -> bool:
    is_file = "contentMediaType" in schema
    return kind_of(schema) in _KEPT and schema.get("format") not in _WRITTEN_OTHERWISE and not is_file


def kind_in(path: str) -> str:
    """The singular of a collection's name: a user for /api/v1/users."""
    static = [part for part in path.split("/") if part and not part.startswith("{")]
    name = static[-1] if static else "entity"
    return name[:-3] + "y" if name.endswith("ies") else name[:-1] if re.search(r"[^s]s$", name) else name
