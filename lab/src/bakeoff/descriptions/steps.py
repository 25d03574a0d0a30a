"""Creations before a request that names several entities, so that one entity stands for all of them."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from bakeoff.descriptions.imported import ImportedOperation
from bakeoff.descriptions.json_members import object_in
from bakeoff.documents.checked import Json

E = TypeVar("E")

# The captures of the entities after the first.
LATER = ("second", "third", "fourth", "fifth")

_CAPTURED = re.compile(r"(\$\{captured\.)(\w+)")


@dataclass(frozen=True)
class Creation:
    """One more entity: the `name` of the operation that creates it, and its kind.

    `captures` are those that the operation sends, with those that hold these ids here.
    """

    name: str
    kind: str
    captures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One more creation before a request that names several entities.

    It `needs` what the one before has made, captures the id of its own as `capture`, and keeps what that one captured:
    what it `creates` stands for all of them.
    """

    creation: Creation
    needs: str
    creates: str
    capture: str
    kept: Sequence[str]


def free(kept: Collection[str]) -> list[str]:
    """The captures that further entities may have beside those that are kept."""
    return [each for each in LATER if each not in kept]


def missing_for(entity: E, known: Sequence[E], needed: Callable[[E], Sequence[E] | None]) -> list[E] | None:
    """What must be created for an entity, beside what is known, itself the last.

    `needed` has the entities that a creation names. None where it has none for the entity, or for one that this needs.
    """
    if entity in known:
        return []
    own = needed(entity)
    missing: list[E] = []
    for each in own or ():
        more = missing_for(each, [*known, *missing], needed)
        if more is None:
            return None
        missing += more
    return None if own is None else [*missing, entity]


def steps_of(needs: str, kept: Sequence[str], others: Sequence[Creation]) -> list[Step]:
    """A step for each of the others, one after another."""
    steps: list[Step] = []
    for creation, capture in zip(others, free(kept), strict=False):
        steps.append(Step(creation, needs, f"{needs} with {creation.kind}", capture, kept))
        needs, kept = steps[-1].creates, [*kept, capture]
    return steps


def with_steps(
    operations: Sequence[ImportedOperation], steps: Mapping[str, Sequence[Step]]
) -> Iterator[ImportedOperation]:
    """Before each request that names several entities the creations of those that it lacks, each once."""
    by_name, made = {each.name: each for each in operations}, set[str]()
    for operation in operations:
        for step in steps[operation.name]:
            if step.creates not in made:
                made.add(step.creates)
                yield _created_for(step, by_name[step.creation.name])
        yield operation


def _created_for(step: Step, creation: ImportedOperation) -> ImportedOperation:
    kept = {name: f"sent:${{captured.{name}}}" for name in step.kept}
    own = {step.capture: object_in(creation.call, "capture")["id"]}
    sent = {name: _renamed(value, step.creation.captures) for name, value in creation.call.items()}
    return replace(
        creation,
        name=f"{creation.name} for {step.needs}",
        weight=0,
        needs=step.needs,
        creates=step.creates,
        call={**sent, "capture": {**own, **kept}},
        message=None if creation.message is None else _text_renamed(creation.message, step.creation.captures),
        effect=None,
        reads=None,
    )


def _renamed(value: Json, captures: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return _text_renamed(value, captures)
    if isinstance(value, Mapping):
        return {name: _renamed(each, captures) for name, each in value.items()}
    return [_renamed(each, captures) for each in value] if isinstance(value, Sequence) else value


def _text_renamed(text: str, captures: Mapping[str, str]) -> str:
    return _CAPTURED.sub(lambda found: found[1] + captures.get(found[2], found[2]), text)
