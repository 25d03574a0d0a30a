"""Which entities an API keeps: a POST creates them when its reply holds the id that another path asks for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.descriptions.imported import Table
from bakeoff.descriptions.openapi_document import DescribedOperation
from bakeoff.descriptions.schema_templates import Schema, SchemaTemplates, kind_of

# Kinds of values that come back as they were sent; times may be written otherwise, and passwords are not shown.
_KEPT = ("string", "integer", "boolean")
_WRITTEN_OTHERWISE = ("date-time", "date", "time", "password", "uri", "byte", "binary")


@dataclass(frozen=True)
class Entity:
    """One kind of entity: `variable` is its id in the paths below `path`, `id_place` where the creating reply has it.

    With `can_compare` a read shows every member that writes send, as they were sent.
    """

    kind: str
    path: str
    variable: str
    id_place: str
    reading: DescribedOperation | None
    shows_id: bool
    can_compare: bool

    @property
    def key(self) -> Sequence[str]:
        """The key of a stored entity, as effects and reads name it."""
        return [self.kind, "${captured.id}"]

    def is_item(self, described: DescribedOperation) -> bool:
        """Whether an operation is about one entity, and not about something within it."""
        return described.path == f"{self.path}/{{{self.variable}}}"


class Entities:
    """The entities of an API."""

    def __init__(self, described: Sequence[DescribedOperation], templates: SchemaTemplates) -> None:
        self._described = described
        self._templates = templates
        self.all = list(self._found())

    def created_by(self, described: DescribedOperation) -> Entity | None:
        """The entity that an operation creates."""
        return next((each for each in self.all if described.method == "POST" and each.path == described.path), None)

    def owner(self, described: DescribedOperation) -> Entity | None:
        """The entity that the path of an operation names."""
        return next((each for each in self.all if f"{described.path}/".startswith(f"{each.path}/{{")), None)

    def state(self, described: DescribedOperation) -> tuple[Table | None, Table | None]:
        """The effect of an operation on a stored entity, and the entity that it shows."""
        created, owner = self.created_by(described), self.owner(described)
        if created is not None:
            return ({"kind": "put", "document": "", "key": created.key} if created.can_compare else None), None
        if owner is None or not owner.is_item(described):
            return None, None
        if described.method == "DELETE":
            return {"kind": "delete", "key": owner.key}, None
        if not owner.can_compare:
            return None, None
        if described.method == "GET":
            return None, {"document": "", "key": owner.key, **({"absent": 404} if described.documents(404) else {})}
        kind = "put" if self._replaces(described, owner) else "merge"
        return ({"kind": kind, "document": "", "key": owner.key} if described.body() else None), None

    def _replaces(self, described: DescribedOperation, owner: Entity) -> bool:
        """Whether an update sends all that the creation sent, so that nothing of it is left."""
        creator = next(each for each in self._described if self.created_by(each) is owner)
        sent, created = (set(self._sent(each)) for each in (described, creator))
        return described.method == "PUT" and created <= sent

    def _sent(self, described: DescribedOperation) -> Mapping[str, Schema]:
        body = described.body()
        return {} if body is None else self._members(body[1], written=True)

    def _found(self) -> Iterator[Entity]:
        for each in self._described:
            variable = self._variable_below(each.path)
            if each.method == "POST" and not each.variables and variable is not None:
                place = self._place_of_id(each, variable)
                if place is not None:
                    yield self._entity(each, variable, place)

    def _entity(self, creator: DescribedOperation, variable: str, place: str) -> Entity:
        item = [each for each in self._described if each.path == f"{creator.path}/{{{variable}}}"]
        reading = next((each for each in item if each.method == "GET"), None)
        shown = {} if reading is None or reading.reply is None else self._members(reading.reply, written=False)
        writing = [creator, *(each for each in item if each.method in ("PUT", "PATCH"))]
        sent = [self._sent(each) for each in writing]
        can_compare = any(sent) and all(
            name in shown and kind_of(each) == kind_of(shown[name]) and _is_kept(each)
            for members in sent
            for name, each in members.items()
        )
        shows_id = place.startswith("/") and place[1:] in shown
        return Entity(kind_in(creator.path), creator.path, variable, place, reading, shows_id, can_compare)

    def _variable_below(self, path: str) -> str | None:
        item = re.compile(rf"{re.escape(path)}/\{{([^}}]+)\}}")
        return next((found[1] for each in self._described if (found := item.match(each.path))), None)

    def _place_of_id(self, creator: DescribedOperation, variable: str) -> str | None:
        members = {} if creator.reply is None else self._members(creator.reply, written=False)
        kind = kind_in(creator.path)
        for name in dict.fromkeys([variable, "id", f"{kind}Id", f"{kind}_id", "uuid", "_id"]):
            if name in members:
                return f"/{name}"
        return "header:location/" if "location" in creator.reply_headers else None

    def _members(self, schema: Schema, *, written: bool) -> Mapping[str, Schema]:
        return self._templates.members(schema, written=written)


def _is_kept(schema: Schema) -> bool:
    return kind_of(schema) in _KEPT and schema.get("format") not in _WRITTEN_OTHERWISE


def kind_in(path: str) -> str:
    """The singular of a collection's name: a user for /api/v1/users."""
    static = [part for part in path.split("/") if part and not part.startswith("{")]
    name = static[-1] if static else "entity"
    return name[:-3] + "y" if name.endswith("ies") else name[:-1] if re.search(r"[^s]s$", name) else name
