"""The slots of templates, as plans hold them."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeVar

import msgspec


class Slot(msgspec.Struct, frozen=True, tag_field="slot"):
    """A place in a template that an engine fills. `width` is its maximum in bytes; None: unknown."""

    width: ClassVar[int | None] = None


class UuidSlot(Slot, frozen=True, tag="uuid"):
    width: ClassVar[int | None] = 36


class IntegerSlot(Slot, frozen=True, tag="integer"):
    min: int
    max: int


class DecimalSlot(Slot, frozen=True, tag="decimal"):
    """A number with `scale` decimal places; `min` and `max` are in units of the last place."""

    min: int
    max: int
    scale: int


class ChoiceSlot(Slot, frozen=True, tag="choice"):
    choices: Sequence[str]


class AlphanumericSlot(Slot, frozen=True, tag="alphanumeric"):
    length: int


class DateSlot(Slot, frozen=True, tag="date", rename={"first": "from", "last": "to"}):
    width: ClassVar[int | None] = 10

    first: int
    last: int


class TimestampSlot(Slot, frozen=True, tag="timestamp"):
    """The time of the event, RFC 3339 in UTC with milliseconds."""

    width: ClassVar[int | None] = 24


class UserSlot(Slot, frozen=True, tag="user"):
    width: ClassVar[int | None] = 7


class SequenceSlot(Slot, frozen=True, tag="sequence", omit_defaults=True):
    """The number of the event among those of its user; with `modulo` its remainder."""

    width: ClassVar[int | None] = 10

    modulo: int | None = None


class MergeSlot(Slot, frozen=True, tag="merge"):
    """A number that distinguishes the merges of one key; the compiler replaces it, so that no plan has it."""

    width: ClassVar[int | None] = 10


class MergeValueSlot(Slot, frozen=True, tag="merge_value"):
    """The value of a member whose name contains `merge`; the compiler replaces it, so that no plan has it."""

    width: ClassVar[int | None] = 10


class RunSlot(Slot, frozen=True, tag="run"):
    width: ClassVar[int | None] = 8


class KeySlot(Slot, frozen=True, tag="key"):
    """The operation's key."""


class CapturedSlot(Slot, frozen=True, tag="captured", omit_defaults=True):
    """A value that an earlier reply held. With `prefix` a part of a query, which an empty value leaves out."""

    name: str
    prefix: str | None = None


class LoginSlot(Slot, frozen=True, tag="login"):
    """A value that the reply to the login held."""

    name: str


class NamedSlot(Slot, frozen=True, tag="named"):
    """A slot with a name, by which later slots repeat its value."""

    name: str
    of: "BareSlot"


class ValueSlot(Slot, frozen=True, tag="value"):
    """The value of a named slot once more."""

    name: str


class PadSlot(Slot, frozen=True, tag="pad"):
    """As much of the text as fills the message to its size."""

    width: ClassVar[int | None] = 0

    text: str


class FillSlot(Slot, frozen=True, tag="fill"):
    """Where a message grows; the compiler replaces it, so that no plan has it."""

    width: ClassVar[int | None] = 0


# The slots of a plan, distinguished by their tags.
BareSlot = (
    UuidSlot
    | IntegerSlot
    | DecimalSlot
    | ChoiceSlot
    | AlphanumericSlot
    | DateSlot
    | TimestampSlot
    | UserSlot
    | SequenceSlot
    | MergeSlot
    | MergeValueSlot
    | RunSlot
    | KeySlot
    | CapturedSlot
    | LoginSlot
    | ValueSlot
    | PadSlot
    | FillSlot
)
AnySlot = BareSlot | NamedSlot
Segment = str | AnySlot
Segments = list[Segment]

_Slot = TypeVar("_Slot", bound=Slot)


def slots_of(segments: Sequence[Segment], kind: type[_Slot]) -> Iterator[_Slot]:
    """All slots of one kind, named or not."""
    slots = (segment.of if isinstance(segment, NamedSlot) else segment for segment in segments)
    return (slot for slot in slots if isinstance(slot, kind))
