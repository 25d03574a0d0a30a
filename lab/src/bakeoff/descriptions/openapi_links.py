"""Which entities a request names other than by its path: their ids stand in its body or in its query."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.descriptions.json_members import text_in
from bakeoff.descriptions.openapi_document import DescribedOperation
from bakeoff.descriptions.openapi_entities import Entities, Entity
from bakeoff.descriptions.openapi_names import as_of_parent
from bakeoff.descriptions.steps import Creation, Step, free, missing_for, steps_of


@dataclass(frozen=True)
class Links:
    """The entities that a request names, each with the capture of its id.

    `needs` is the kind that has all of these captures; None where it names none. The first of two with the same member
    counts.
    """

    named: Sequence[tuple[Entity, str]] = ()
    needs: str | None = None
    steps: Sequence[Step] = ()

    @property
    def first(self) -> Entity | None:
        """The entity that it needs, where that is of a kind of its own."""
        return next((entity for entity, capture in self.named if capture == "id"), None)

    @property
    def slots(self) -> Mapping[str, str]:
        """The slots of parameters that hold an id, by their names."""
        return {name: f"${{captured.{capture}}}" for each, capture in reversed(self.named) for name in each.id_names}


class Linking:
    """Finds the links of requests. Entities that `passed_over` would create are made for no other request."""

    def __init__(self, entities: Entities) -> None:
        self._entities = entities
        self._known: dict[DescribedOperation, Links] = {}
        self._asked: dict[DescribedOperation, set[str]] = {}
        self.passed_over: Collection[DescribedOperation] = ()

    def of(self, described: DescribedOperation) -> Links:
        """What it names besides its path: nothing where it is about the one entity of its path, whose creation does."""
        if described not in self._known:
            owner = self._entities.owner(described)
            self._known[described] = self._at_root(described) if owner is None else self._within(described, owner)
        return self._known[described]

    def referred(self, entity: Entity) -> Entity | None:
        """The entity that the creation of another one refers to, other than by its path."""
        return None if entity.parent is not None else self.of(entity.creator).first

    def kept_by_others(self, described: Iterable[DescribedOperation]) -> Iterator[Entity]:
        """Entities that are named long after their creation: what was created for them names them too."""
        for each in described:
            links, created = self.of(each), self._entities.created_by(each)
            if links.steps and (first := self._entities.owner(each) or links.first) is not None:
                yield first
            if created is not None and created.parent is None:
                yield from (entity for entity, capture in links.named if capture in ("id", "parent"))

    def _at_root(self, described: DescribedOperation) -> Links:
        if (one := self._entities.called(described) or self._updated(described)) is not None:
            return Links([(one, "id")], one.kind)
        found = self._found(described)
        if not found:
            return Links()
        inner = [each for each in found if each.parent is not None]
        deepest = max(inner, key=lambda each: len(each.captured), default=None)
        # What refers to another one knows its id too.
        first = deepest or next((each for each in found if self.referred(each) in found), found[0])
        return self._with_others(described, first, found)

    def _within(self, described: DescribedOperation, owner: Entity) -> Links:
        if owner.is_item(described):
            return Links()
        found = [each for each in self._found(described) if each is not owner and not owner.lies_within(each)]
        return self._with_others(described, owner, found)

    def _known_with(self, entity: Entity) -> dict[Entity, str]:
        """What is known with an entity: those that it lies within, and those that its creation names."""
        known, above = {entity: "id"}, entity.parent
        while above is not None:
            known[above] = as_of_parent(list(known.values())[-1])
            above = above.parent
        return {**known, **{each: as_of_parent(capture) for each, capture in self.of(entity.creator).named}}

    def _with_others(self, described: DescribedOperation, first: Entity, found: Sequence[Entity]) -> Links:
        """The links to what is known with the first, and to each other entity, with all that its creation needs."""
        known = self._known_with(first)
        named = [(each, capture) for each, capture in known.items() if each in found]
        taken = {member for each, _ in named for member in self._members(described, each)}
        kept = list(dict.fromkeys([*first.captured.values(), *known.values()]))
        slots, others = free(kept), list[Entity]()
        for each in found:
            members = self._members(described, each)
            missing = [] if members <= taken else missing_for(each, [*known, *others], self._needed)
            if missing is not None and len(others) + len(missing) <= len(slots):
                taken |= members
                others += missing
        captures = {**known, **dict(zip(others, slots, strict=False))}
        creations = [
            Creation(
                each.creator.name,
                each.kind,
                {capture: captures[other] for other, capture in self.of(each.creator).named},
            )
            for each in others
        ]
        steps = steps_of(first.kind, kept, creations)
        named = [*named, *((each, captures[each]) for each in others if each in found)]
        return Links(named, steps[-1].creates if steps else first.kind if named else None, steps)

    def _needed(self, entity: Entity) -> Sequence[Entity] | None:
        """The entities that a creation names; None where it is made for no other request."""
        if entity.creator in self.passed_over or entity.parent is not None:
            return None
        return [each for each, _ in self.of(entity.creator).named]

    def _updated(self, described: DescribedOperation) -> Entity | None:
        """The entity that an update names in its body: its path is that of all of them."""
        collected = self._entities.collects(described)
        is_update = described.method in ("PUT", "PATCH") and collected is not None and len(collected.id_path) == 1
        is_named = is_update and collected is not None and collected.id_path[0] in self._entities.sent(described)
        return collected if is_named else None

    def _found(self, described: DescribedOperation) -> list[Entity]:
        created = self._entities.created_by(described)
        others = [each for each in self._entities.all if each is not created]
        if created is not None:
            # What needs one another can never be created.
            others = [each for each in others if not self._leads_to(each, created, [each])]
        return [each for each in others if self._members(described, each)]

    def _members(self, described: DescribedOperation, entity: Entity) -> set[str]:
        """The members of its body, and the parameters of its query, that hold the id of an entity."""
        if described not in self._asked:
            self._asked[described] = {text_in(each, "name") for each in described.required("query")}
        return (entity.id_names & self._asked[described]) | {*self._entities.references(described, entity)}

    def _leads_to(self, entity: Entity, other: Entity, seen: list[Entity]) -> bool:
        """Whether the creation of an entity needs another one, or one that does."""
        for each in self._entities.all:
            if each not in seen and (each is entity.parent or self._members(entity.creator, each)):
                seen.append(each)
                if each is other or self._leads_to(each, other, seen):
                    return True
        return False


def kept_of(links: Links) -> Mapping[str, str]:
    """What an entity captures of those that its creation named: the slot of each, by its name from then on."""
    return {as_of_parent(capture): f"${{captured.{capture}}}" for _, capture in links.named}
