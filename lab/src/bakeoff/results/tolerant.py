"""Records of what was observed beside the requests, out of documents that may be old or of any making.

What does not fit is left out, as if it had never been recorded: a run counts by its requests, whose records are strict.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

Record = TypeVar("Record")


def tolerant(record: Callable[..., Record], document: object) -> Record:
    """The record with every member of the document that fits it; the others have their defaults."""
    members = document if isinstance(document, Mapping) else {}
    fitting = {name: _fitting(hint, members.get(name)) for name, hint in _hints(record).items()}
    return record(**{name: value for name, value in fitting.items() if value is not None})


@cache
def _hints(record: Hashable) -> Mapping[str, Any]:  # types as annotations hold them
    return {name: _without_none(hint) for name, hint in get_type_hints(record).items()}


def _without_none(hint: Any) -> Any:  # the same
    return get_args(hint)[0] if isinstance(hint, UnionType) else hint


def _fitting(hint: Any, value: object) -> object:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if is_dataclass(hint) and isinstance(hint, type):
        return tolerant(hint, value) if isinstance(value, Mapping) else None
    if get_origin(hint) is Mapping:
        if not isinstance(value, Mapping):
            return None
        fitting = {name: _fitting(get_args(hint)[1], member) for name, member in value.items()}
        return {name: member for name, member in fitting.items() if member is not None}
    try:
        return msgspec.convert(value, hint)
    except msgspec.ValidationError:
        return None
