"""Finds what sessions name and do not have, and the values that their steps carry from one to the next."""

from collections.abc import Iterator, Sequence

from bakeoff.documents.toml_lines import Place
from bakeoff.errors import UsageError
from bakeoff.text.durations import seconds_of
from bakeoff.text.hints import hint
from bakeoff.workload.declaration import Declaration, DeclaredSession, Operation

_Found = tuple[Place, str]


def session_problems(declared: Declaration) -> Iterator[_Found]:
    """Places below `sessions`, and what is wrong there."""
    operations = [operation.name for operation in declared.operations]
    taken = list(operations)
    for index, session in enumerate(declared.sessions):
        place = ("sessions", index)
        if session.name in taken:
            kind = "an operation" if session.name in operations else "another session"
            yield (*place, "name"), f"{kind} is named {session.name} too. Names must differ."
        taken.append(session.name)
        for step in session.steps:
            if step not in operations:
                words = f'session {session.name}: there is no operation "{step}".'
                yield (*place, "steps"), f"{words} {hint(step, operations, 'Operations')}"
        if (reason := wrong_pause(session.think_time)) is not None:
            yield (*place, "think_time"), f"session {session.name}: {reason}"


def wrong_pause(think_time: str | None) -> str | None:
    """Why a pause is none; None for a right one."""
    try:
        if think_time is not None:
            seconds_of(think_time)
    except UsageError as error:
        return error.message
    return None


def carried_to(declared: Declaration, operation: Operation, protocol: str) -> dict[str, list[str]]:
    """By session, the names that its steps before this operation capture; empty where no session has it."""
    return {
        session.name: _captured_before(declared, session, operation.name, protocol)
        for session in declared.sessions
        if operation.name in session.steps
    }


def _captured_before(declared: Declaration, session: DeclaredSession, name: str, protocol: str) -> list[str]:
    operations = {each.name: each for each in declared.operations}
    before = session.steps[: list(session.steps).index(name)]
    calls = [operations[step].call(protocol) for step in before if step in operations]
    return [each for call in calls if call is not None for each in call.capture]


def carried_names(carried: dict[str, list[str]]) -> Sequence[str]:
    """Those that every session with the operation carries to it."""
    first, *others = carried.values()
    return [name for name in first if all(name in each for each in others)]


def is_sent_alone(declared: Declaration, operation: Operation) -> bool:
    """Whether it is also sent outside sessions: in the mix, at its own rate, as the login, or for what it creates."""
    return _is_drawn(declared, operation) or operation.login or _is_substitute(declared, operation)


def _is_drawn(declared: Declaration, operation: Operation) -> bool:
    in_mixes = any(weights.get(operation.name, 0) > 0 for weights in declared.mixes.values())
    return operation.weight > 0 or in_mixes or operation.rate is not None


def _is_substitute(declared: Declaration, operation: Operation) -> bool:
    """Whether it replaces operations when their user has no entity of the kind that it creates."""
    kind = operation.creates
    creators = [each.name for each in declared.operations if each.creates == kind and each.needs != kind]
    if kind is None or creators[:1] != [operation.name]:
        return False
    return any(_may_lack(declared, each, kind) for each in declared.operations if each.needs == kind)


def _may_lack(declared: Declaration, operation: Operation, kind: str) -> bool:
    """Whether an operation is sent although no earlier step of its session creates what it needs."""
    creators = {each.name for each in declared.operations if each.creates == kind}
    sessions = [list(each.steps) for each in declared.sessions if operation.name in each.steps]
    before = [steps[: steps.index(operation.name)] for steps in sessions]
    return _is_drawn(declared, operation) or any(creators.isdisjoint(steps) for steps in before)
