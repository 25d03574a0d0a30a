"""What a request line can carry."""

import re
from collections.abc import Iterator

from bakeoff.workload.slots import ChoiceSlot, NamedSlot
from bakeoff.workload.template import TemplateError, parse_template

_NOT_SENT = re.compile(r"[^!-~]|#")


def _literals(path: str) -> Iterator[str]:
    """What a path holds, other than values that are letters, digits and marks of their own."""
    for part in parse_template(path):
        if isinstance(part, str):
            yield part
        else:
            slot = part.of if isinstance(part, NamedSlot) else part
            yield from slot.choices if isinstance(slot, ChoiceSlot) else ()


def unsendable(path: str) -> str | None:
    """Why a path template cannot be sent as it is; None where it can."""
    try:
        literals = list(_literals(path))
    except TemplateError:
        return None  # Named as a slot that is not one.
    if not path.startswith("/") and path != "*":
        return "does not begin with /"
    found = next((each for literal in literals if (each := _NOT_SENT.search(literal)) is not None), None)
    if found is None:
        return None
    if found[0] == "#":
        return "holds #, which ends what is sent: write %23 for the character"
    escaped = "".join(f"%{byte:02X}" for byte in found[0].encode())
    return f"holds {found[0]!r}, which no request line can carry: write {escaped}"
