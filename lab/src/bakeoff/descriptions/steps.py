"""Creations before a request that names several entities, so that one entity stands for all of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.descriptions.imported import ImportedOperation
from bakeoff.descriptions.json_members import object_in

# The captures of the entities after the first.
LATER = ("second", "third", "fourth", "fifth")


@dataclass(frozen=True)
class Step:
    """One more creation, by the operation of a name, before a request that names several entities.

    It `needs` what the one before has made, captures the id of its own as `capture`, and keeps what that one captured:
    what it `creates` stands for all of them.
    """

    creation: str
    needs: str
    creates: str
    capture: str
    kept: Sequence[str]


def steps_of(needs: str, kept: Sequence[str], others: Sequence[tuple[str, str]]) -> list[Step]:
    """A creation for each of the others, which are operations with the kinds that they create, one after another."""
    steps: list[Step] = []
    for (creation, kind), capture in zip(others, LATER, strict=False):
        steps.append(Step(creation, needs, f"{needs} with {kind}", capture, kept))
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
                yield _created_for(step, by_name[step.creation])
        yield operation


def _created_for(step: Step, creation: ImportedOperation) -> ImportedOperation:
    kept = {name: f"sent:${{captured.{name}}}" for name in step.kept}
    call = {**creation.call, "capture": {step.capture: object_in(creation.call, "capture")["id"], **kept}}
    name = f"{creation.name} for {step.needs}"
    return replace(
        creation, name=name, weight=0, needs=step.needs, creates=step.creates, call=call, effect=None, reads=None
    )
