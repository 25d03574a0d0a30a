"""Members of JSON objects whose shape a user's document decides: each as the type that it should have, or a default."""

import math
from collections.abc import Mapping, Sequence

from bakeoff.documents.checked import Json

JsonObject = Mapping[str, Json]


def object_in(entry: JsonObject, name: str) -> JsonObject:
    """A member that is an object; an empty one where it is not."""
    value = entry.get(name)
    return value if isinstance(value, Mapping) else {}


def list_in(entry: JsonObject, name: str) -> Sequence[Json]:
    """A member that is a list; an empty one where it is not."""
    value = entry.get(name)
    return value if isinstance(value, list) else []


def objects_of(values: Sequence[Json]) -> list[JsonObject]:
    """Those that are objects."""
    return [value for value in values if isinstance(value, Mapping)]


def objects_by_name(entry: JsonObject) -> dict[str, JsonObject]:
    """The members that are objects; names as text, because YAML reads 200 as a number."""
    return {str(name): value for name, value in entry.items() if isinstance(value, Mapping)}


def text_in(entry: JsonObject, name: str) -> str:
    """A member as text; empty where it is absent."""
    value = entry.get(name)
    return "" if value is None else str(value)


def number_in(entry: JsonObject, name: str) -> float | None:
    """A member that is a number; None where it is not."""
    value = entry.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value if math.isfinite(value) else None


def whole_in(entry: JsonObject, name: str, usual: int) -> int:
    """A member as a whole number."""
    value = number_in(entry, name)
    return usual if value is None else int(value)
