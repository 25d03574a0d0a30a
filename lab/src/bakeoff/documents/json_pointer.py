"""JSON pointers, RFC 6901."""

from collections.abc import Iterable, Mapping

from bakeoff.documents.checked import Json


def names_of(pointer: str) -> list[str]:
    """The names and indices along a pointer."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def pointer_of(names: Iterable[str | int]) -> str:
    """The pointer along names and indices."""
    return "".join(f"/{str(name).replace('~', '~0').replace('/', '~1')}" for name in names)


def members_of(document: Json) -> Mapping[str, Json]:
    """The members of an object or a list, by name or index; none of anything else."""
    if isinstance(document, list):
        return {str(index): element for index, element in enumerate(document)}
    return document if isinstance(document, Mapping) else {}


def value_at(document: Json, pointer: str) -> Json:
    """The value at a pointer. Raises KeyError where there is none."""
    for name in names_of(pointer):
        document = members_of(document)[name]
    return document
