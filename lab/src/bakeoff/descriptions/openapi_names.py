"""Names of kinds of entities, of members that hold their ids, and of what requests capture."""

import re
from collections.abc import Sequence
from functools import cache

from bakeoff.descriptions.steps import LATER

# How an entity within another one captures what that one captured.
_PARENT = re.compile(r"parent(\d*)")


@cache
def shape_of(path: str) -> str:
    """A path in which parameters have no names: those of one place are one entity, however they are named."""
    return re.sub(r"\{[^{}]*\}", "{}", path).rstrip("/")


def kind_in(path: str) -> str:
    """The singular of a collection's name: a user for /api/v1/users."""
    static = [part for part in path.split("/") if part and not part.startswith("{")]
    name = static[-1] if static else "entity"
    return name[:-3] + "y" if name.endswith("ies") else name[:-1] if re.search(r"[^s]s$", name) else name


def as_of_parent(captured: str) -> str:
    """The capture of an entity as one within it captures the same value."""
    above = _PARENT.fullmatch(captured)
    return f"parent{int(above[1] or 1) + 1}" if above is not None else "parent" if captured == "id" else captured


def capture_name(variable: str) -> str:
    """The name of the capture, and of the slot, of a variable that names no entity."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", variable)
    return f"part_{name}" if name in ("id", "next", *LATER) or _PARENT.fullmatch(name) else name


def names_of_id(kind: str, variable: str) -> Sequence[str]:
    """The names that members with the id of a kind may have, where `variable` is its name in paths."""
    return [*names_of_variable(kind, variable), *id_names(kind)]


def names_of_variable(kind: str, variable: str) -> Sequence[str]:
    own = re.sub(rf"^{re.escape(kind)}[-_]?", "", variable, flags=re.IGNORECASE)
    return [each for each in (variable, own, own[:1].lower() + own[1:]) if each]


def id_names(kind: str) -> Sequence[str]:
    return ["id", f"{kind}Id", f"{kind}_id", "uuid", "_id", "Id", "ID"]
