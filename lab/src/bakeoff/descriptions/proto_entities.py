"""Which entities a gRPC API keeps, and how requests name them.

A method such as CreateBook whose reply shows an identifier creates an entity. The identifier is what
google.api.resource says, or what the reply has in common with the requests that read or delete the entity.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from google.protobuf.descriptor_pb2 import FieldDescriptorProto

from bakeoff.descriptions.proto_messages import Path, unique_value
from bakeoff.descriptions.proto_types import (
    CREATES,
    DELETES,
    READS,
    STARTS,
    UPDATES,
    Method,
    Types,
    is_scalar,
    reference,
    singular,
)
from bakeoff.descriptions.steps import LATER, missing_for

# Names of identifiers that belong to no kind.
_IDS = ("id", "uuid", "uid", "guid")


@dataclass(frozen=True)
class Entity:
    """A kind of entity: the fields that identify it, each with its pointer in the creating reply.

    Of what it lies in, that may be a text of the creating request instead, as captures name it.
    `resource` is its type by google.api.resource, `parent` the pattern of what it lies in.
    """

    kind: str
    creator: Method
    identifiers: Mapping[str, tuple[str, FieldDescriptorProto]]
    resource: str = ""
    patterns: Sequence[str] = ()

    @property
    def captures(self) -> Mapping[str, str]:
        """What its creation captures: the first identifier as `id`, others by their names."""
        return {self.capture(name): pointer for name, (pointer, _) in self.identifiers.items()}

    def is_sent(self, name: str) -> bool:
        """Whether this is an identifier of what it lies in, which the creating request has and its reply has not."""
        return name in self.identifiers and self.identifiers[name][0].startswith("sent:${captured.")

    def capture(self, name: str) -> str:
        return "id" if name == next(iter(self.identifiers)) else name

    def named_by(self, name: str) -> str | None:
        """The capture that a field of this name holds, in a request about such an entity."""
        if name in self.identifiers:
            return self.capture(name)
        return "id" if name.lower() in id_names(self.kind) else None

    def contains(self, other: "Entity") -> bool:
        """Whether the other lies within it, by the patterns of their names."""
        above = {pattern.rsplit("/", 2)[0] for pattern in other.patterns}
        return bool(above & set(self.patterns))


@dataclass(frozen=True)
class Other:
    """A further entity; `captures` are those that its creation sends, with those that hold these ids here."""

    entity: Entity
    captures: Mapping[str, str]


@dataclass(frozen=True)
class Link:
    """What a method needs: an entity, and the fields of its request that name it with what they hold.

    `others` are further ones that fields name, and what their creation needs, in the order of LATER. `unknown` are
    fields that name something whose values nothing here creates.
    """

    entity: Entity | None = None
    fields: Mapping[Path, tuple[str, FieldDescriptorProto]] = field(default_factory=dict)
    unknown: Sequence[FieldDescriptorProto] = ()
    others: Sequence[Other] = ()

    @property
    def named(self) -> Sequence[Entity]:
        """All its entities."""
        return [] if self.entity is None else [self.entity, *(each.entity for each in self.others)]


class ProtoEntities:
    """The entities of an API."""

    def __init__(self, methods: Sequence[Method], types: Types) -> None:
        self._methods = [each for each in methods if not each.streams]
        self._types = types
        self.all: list[Entity] = []
        self._links: dict[tuple[str, str], Link] = {}
        for each in sorted(self._methods, key=lambda method: method.verb in STARTS):
            created = self._created(each)
            if created is not None and all(known.kind != created.kind for known in self.all):
                self.all.append(created)
        # What lies deeper takes the identifiers of what lies in something itself: once more for each level.
        for _ in self.all:
            known, self.all = self.all, [self._with_sent(each) for each in self.all]
            self._links.clear()
            if known == self.all:
                break

    def created_by(self, method: Method) -> Entity | None:
        return next((each for each in self.all if each.creator == method), None)

    def parents(self) -> Sequence[Entity]:
        """Entities that others lie in, and those that others are created for."""
        links = [self.link(each) for each in self._methods]
        owners = (self.link(each.creator).entity for each in self.all)
        return [each for each in (*owners, *(link.entity for link in links if link.others)) if each is not None]

    def link(self, method: Method) -> Link:
        """The entity that a request is about, or that it refers to first, and others that it names."""
        name = (method.full_service, method.name)
        if name not in self._links:
            self._links[name] = self._link(method)
        return self._links[name]

    def _link(self, method: Method) -> Link:
        created = self.created_by(method)
        references = list(self._references(method, created))
        named = {found.name for _, _, _, found in references}
        unknown = [
            each
            for each in self._names_something(method)
            if created is None or each.name in named or not _is_own(each, created)
        ]
        if not references:
            return Link(unknown=unknown)
        is_about = created is None and references[0][0].kind == method.kind
        entity = references[0][0] if is_about else self._innermost([each for each, _, _, _ in references])
        # One entity is never named twice: the second field means another one.
        of_captures: dict[str, tuple[Path, FieldDescriptorProto]] = {}
        for known, path, capture, found in references:
            if known is entity or entity.is_sent(found.name):
                of_captures.setdefault(capture if known is entity else entity.capture(found.name), (path, found))
        fields = {path: (capture, found) for capture, (path, found) in of_captures.items()}
        captures = {entity.kind: "id"}
        others: list[Other] = []
        named = {entity.kind}
        for known, path, _, found in references if method.verb not in DELETES else []:
            if known.kind in named or entity.is_sent(found.name):
                continue
            missing = missing_for(known, [entity, *(each.entity for each in others)], self._needed)
            if missing is None or len(others) + len(missing) > len(LATER):
                continue
            for each in missing:
                others.append(Other(each, self._captures_sent(each, captures)))
                captures[each.kind] = LATER[len(others) - 1]
            fields[path] = (captures[known.kind], found)
            named.add(known.kind)
        return Link(entity, fields, [each for each in unknown if (each.name,) not in fields], others)

    def _needed(self, entity: Entity) -> Sequence[Entity] | None:
        """The entities that a creation names; None where it takes more than one id of something."""
        link = self.link(entity.creator)
        takes_one = all(capture in ("id", *LATER) for capture, _ in link.fields.values())
        return link.named if takes_one else None

    def _captures_sent(self, entity: Entity, captures: Mapping[str, str]) -> Mapping[str, str]:
        """The captures that the creation of an entity sends, with those that hold these ids here."""
        return {
            capture: captures[each.kind]
            for capture, each in zip(("id", *LATER), self.link(entity.creator).named, strict=False)
        }

    def _innermost(self, entities: Sequence[Entity]) -> Entity:
        """The one that lies in most of the others; of several the first."""
        return max(entities, key=lambda each: sum(map(each.is_sent, each.identifiers)))

    def _with_sent(self, entity: Entity) -> Entity:
        """An entity with the identifiers of what it lies in, where other requests about it name that too."""
        names = id_names(entity.kind)[len(_IDS) :]
        using = [
            each
            for each in self._methods
            if each != entity.creator
            if each.kind == entity.kind or any(found.name in names for found in self._types.scalars(each.request))
        ]
        named = {found.name for each in using for found in self._types.scalars(each.request) if each.verb != "list"}
        shown = {name: place for name, place in entity.identifiers.items() if not entity.is_sent(name)}
        sent = {
            path[0]: (f"sent:${{captured.{capture}}}", found)
            for path, (capture, found) in self.link(entity.creator).fields.items()
            if len(path) == 1 and path[0] in named - shown.keys() - {*id_names(entity.kind)}
        }
        return replace(entity, identifiers={**shown, **sent})

    def _references(
        self, method: Method, created: Entity | None
    ) -> Iterator[tuple[Entity, Path, str, FieldDescriptorProto]]:
        own = next((each for each in self.all if each.kind == method.kind and each is not created), None)
        if own is not None and created is None:
            fields = list(self._own_fields(method, own))
            # One that names only what others lie in is about that.
            yield from fields if any(not own.is_sent(found.name) for _, _, _, found in fields) else []
        others = [each for each in self.all if each is not created and not self._waits_for(each, created)]
        for found in self._types.fields(method.request):
            if not is_scalar(found):
                continue
            for entity in others:
                if _refers(found, entity, created, others, own):
                    yield entity, (found.name,), "id", found

    def _own_fields(self, method: Method, own: Entity) -> Iterator[tuple[Entity, Path, str, FieldDescriptorProto]]:
        """The fields that identify the entity which a method is about, in its request or in the entity within it."""
        is_written = method.verb not in (*READS, *DELETES)
        for found in self._types.fields(method.request):
            if is_scalar(found) and (capture := _capture_in(found, own)) is not None:
                # What an update sends beside the identifier is new.
                if not is_written or capture == "id" or own.is_sent(found.name):
                    yield own, (found.name,), capture, found
            elif found.type == found.TYPE_MESSAGE and singular(found.name) == own.kind and is_written:
                for inner in self._types.scalars(found.type_name):
                    if own.named_by(inner.name) == "id":
                        yield own, (found.name, inner.name), "id", inner

    def _waits_for(self, entity: Entity, created: Entity | None) -> bool:
        """Whether an entity can only be created after what a method creates: a circle."""
        if created is None:
            return False
        seen, waiting = set[str](), [entity]
        while waiting:
            each = waiting.pop()
            needed = [other for other in self.all if other is not each and self._mentions(each.creator, other)]
            if created in needed:
                return True
            seen.add(each.kind)
            waiting += [other for other in needed if other.kind not in seen]
        return False

    def _mentions(self, method: Method, entity: Entity) -> bool:
        created = self.created_by(method)
        fields = [each for each in self._types.fields(method.request) if is_scalar(each)]
        return any(_refers(each, entity, created, [entity]) for each in fields)

    def _names_something(self, method: Method) -> Iterator[FieldDescriptorProto]:
        """Fields that hold names or identifiers of what must exist."""
        for found in self._types.fields(method.request):
            if is_scalar(found) and _names(found) and (method.verb not in CREATES or reference(found).type):
                yield found

    def _created(self, method: Method) -> Entity | None:
        if method.verb not in (*CREATES, *STARTS):
            return None
        kind, (prefix, type_name) = method.kind, self._entity_in(method.reply, method.kind)
        shown = {each.name: (f"{prefix}/{each.json_name}", each) for each in self._types.scalars(type_name)}
        if prefix:
            outside = {each.name: (f"/{each.json_name}", each) for each in self._types.scalars(method.reply)}
            shown = {**outside, **shown}
        if method.verb in STARTS:
            # A reply with a name alone may be about the start itself, as long-running operations are.
            own = [each for each in id_names(kind)[len(_IDS) :] if each in shown]
            asked = {each.name for each in self._types.scalars(method.request)}
            new = [each for each in own if each not in asked]
            return Entity(kind, method, {each: shown[each] for each in new}) if new else None
        resource = self._types.resource(type_name)
        if resource is not None and (resource.name_field or "name") in shown:
            name = resource.name_field or "name"
            return Entity(kind, method, {name: shown[name]}, resource.type, list(resource.pattern))
        names = [each for each in self._common(kind, shown) if each in shown]
        return Entity(kind, method, {each: shown[each] for each in names}) if names else self._named_by_request(method)

    def _named_by_request(self, creator: Method) -> Entity | None:
        """An entity that no reply shows: the creating request names it, and reads and deletions name it so too."""
        using = [each for each in self._methods if each.kind == creator.kind and each.verb in (*READS, *DELETES)]
        named = {found.name for each in using for found in self._types.scalars(each.request)}
        for found in self._types.scalars(creator.request):
            is_name = found.name in (*id_names(creator.kind), *_names_of(creator.kind)) and found.name in named
            if is_name and found.type == found.TYPE_STRING:
                text = unique_value(found).strip('"')
                return Entity(creator.kind, creator, {found.name: (f"sent:{text}", found)})
        return None

    def _common(self, kind: str, shown: Mapping[str, tuple[str, FieldDescriptorProto]]) -> Sequence[str]:
        """The names in a reply that identify an entity: what requests about it name, or what is called so."""
        # A number that is called code says how a request went.
        texts = {name for name, (_, found) in shown.items() if found.type == found.TYPE_STRING or name != "code"}
        called = [each for each in (*id_names(kind), *_names_of(kind)) if each in texts]
        using = [each for each in self._methods if each.kind == kind and each.verb not in CREATES]
        using.sort(key=lambda each: (*READS, *DELETES).index(each.verb) if each.verb in (*READS, *DELETES) else 99)
        for method in using:
            fields = [each.name for each in self._types.scalars(method.request)]
            if any(each in id_names(kind) for each in fields) and any(each in id_names(kind) for each in called):
                same = [each for each in fields if each in shown and each not in called]
                return called[:1] + (same if method.verb in (*READS, *DELETES) else [])
            same = [each for each in fields if each in shown]
            if same and method.verb in (*READS, *DELETES):
                return sorted(same, key=lambda each: each not in called)
            if same and method.verb not in UPDATES:
                return [each for each in same if each in called]
        return called[:1]

    def _entity_in(self, type_name: str, kind: str) -> tuple[str, str]:
        """Where a reply shows an entity: in a field called or typed like its kind, in its only message, or itself."""
        inner = [each for each in self._types.fields(type_name) if each.type == each.TYPE_MESSAGE]
        inner = [
            each for each in inner if each.label != each.LABEL_REPEATED and "google.protobuf" not in each.type_name
        ]
        short = kind.replace("_", "")
        for each in inner:
            if singular(each.name) == kind or each.type_name.rpartition(".")[2].lower() == short:
                return f"/{each.json_name}", each.type_name
        has_own = any(True for _ in self._types.scalars(type_name))
        return (f"/{inner[0].json_name}", inner[0].type_name) if len(inner) == 1 and not has_own else ("", type_name)


def id_names(kind: str) -> Sequence[str]:
    return (*_IDS, *(f"{kind}_{each}" for each in _IDS), f"{kind.replace('_', '')}_id", f"{kind.replace('_', '')}id")


def _names_of(kind: str) -> Sequence[str]:
    return ("name", f"{kind}_name", "key", "slug", "code")


def _names(found: FieldDescriptorProto) -> bool:
    target = reference(found)
    name = found.name.lower()
    is_called_so = name in ("name", "parent", *_IDS) or name.endswith(tuple(f"_{each}" for each in _IDS))
    return bool(target.type or target.child_type) or (is_called_so and found.name != "request_id")


def _is_own(found: FieldDescriptorProto, created: Entity) -> bool:
    """Whether a field names what a request creates."""
    return created.named_by(found.name) is not None


def _capture_in(found: FieldDescriptorProto, own: Entity) -> str | None:
    target = reference(found)
    if own.resource and target.type == own.resource:
        return "id"
    if found.label == found.LABEL_REPEATED:
        return "id" if own.named_by(singular(found.name)) == "id" else None
    return own.named_by(found.name)


def _refers(
    found: FieldDescriptorProto,
    entity: Entity,
    created: Entity | None,
    others: Sequence[Entity],
    own: Entity | None = None,
) -> bool:
    """Whether a field of a request, about `own` or creating, names an entity: annotated, by its name, or as parent."""
    target = reference(found)
    if target.type and target.type != "*":
        return str(target.type) == entity.resource
    name = singular(found.name) if found.label == found.LABEL_REPEATED else found.name
    if name in id_names(entity.kind)[len(_IDS) :] or name == f"{entity.kind}_name":
        return created is None or name not in id_names(created.kind)
    if name != "parent":
        return False
    child = next((each for each in (*others, created) if each and target.child_type == each.resource != ""), None)
    child = child or created or own
    if child is not None and child.patterns:
        return entity.contains(child)
    return [each for each in others if each is not child] == [entity]
