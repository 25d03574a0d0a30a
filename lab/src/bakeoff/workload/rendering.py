"""Renders segments: the lab's own interpreter, for fillers, samples and the reference of the engines."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from bakeoff.workload import slots
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.slots import AnySlot, DateSlot, DecimalSlot, PadSlot, Segment

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


@dataclass(frozen=True)
class Event:
    """The values of one event's slots; rendering a named slot adds it to `values`."""

    run: str
    user: int
    sequence: int
    base_time_ms: int
    key: str = ""
    captured: Mapping[str, str] | None = None
    login: Mapping[str, str] | None = None
    values: dict[str, str] = field(default_factory=dict)


def render(segments: Sequence[Segment], numbers: RandomNumbers, event: Event, size_bytes: int | None = None) -> str:
    """The text of a template. Draws happen from left to right; a pad takes what is left of `size_bytes`."""
    parts: list[str] = []
    pad: tuple[int, str] | None = None
    for segment in segments:
        if isinstance(segment, str):
            parts.append(segment)
        elif isinstance(segment, PadSlot):
            pad = (len(parts), segment.text)
            parts.append("")
        else:
            parts.append(_rendered(segment, numbers, event))
    if pad is not None and size_bytes is not None:
        place, text = pad
        parts[place] = text[: size_bytes - sum(len(part.encode()) for part in parts)]
    return "".join(parts)


def _rendered(slot: AnySlot, numbers: RandomNumbers, event: Event) -> str:
    match slot:
        case slots.UuidSlot():
            return _uuid(numbers)
        case slots.IntegerSlot(low, high):
            return str(low + numbers.below(high - low + 1))
        case slots.DecimalSlot():
            return _decimal(slot, numbers)
        case slots.ChoiceSlot(choices):
            return choices[numbers.below(len(choices))]
        case slots.AlphanumericSlot(length):
            return "".join(ALPHABET[numbers.below(32)] for _ in range(length))
        case slots.DateSlot():
            return _date(slot, numbers)
        case slots.NamedSlot(name, of):
            event.values[name] = _rendered(of, numbers, event)
            return event.values[name]
        case slots.ValueSlot(name):
            return event.values[name]
        case slots.CapturedSlot(name, None):
            return (event.captured or {})[name]
        case slots.CapturedSlot(name, str(prefix)):
            value = (event.captured or {}).get(name, "")
            written = quote(value, safe="") if prefix.endswith("=") else value
            return f"{prefix}{written}" if value else ""
        case slots.LoginSlot(name):
            return (event.login or {})[name]
        case slots.TimestampSlot():
            return _timestamp(event)
        case slots.UserSlot():
            return str(event.user)
        case slots.SequenceSlot(modulo):
            return str(event.sequence if modulo is None else event.sequence % modulo)
        case slots.RunSlot():
            return event.run
        case slots.KeySlot():
            return event.key
    raise AssertionError(f"{slot} stands in no template that is rendered")


def _uuid(numbers: RandomNumbers) -> str:
    octets = bytearray(b"".join(numbers.draw().to_bytes(4, "big") for _ in range(4)))
    octets[6] = octets[6] & 0x0F | 0x40
    octets[8] = octets[8] & 0x3F | 0x80
    digits = octets.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _decimal(slot: DecimalSlot, numbers: RandomNumbers) -> str:
    units = slot.min + numbers.below(slot.max - slot.min + 1)
    if units % 10 == 0:
        # A last digit of 0 would not survive a double: REST would store 1.50 and gRPC 1.5.
        units += 1 if units < slot.max else -1
    digits = str(abs(units)).rjust(slot.scale + 1, "0")
    return f"{'-' if units < 0 else ''}{digits[: -slot.scale]}.{digits[-slot.scale :]}"


def _date(slot: DateSlot, numbers: RandomNumbers) -> str:
    first = datetime.date(slot.first, 1, 1)
    days = (datetime.date(slot.last, 12, 31) - first).days + 1
    return (first + datetime.timedelta(days=numbers.below(days))).isoformat()


def _timestamp(event: Event) -> str:
    moment_ms = event.base_time_ms + event.sequence * 1000 + event.user % 1000
    seconds, milliseconds = divmod(moment_ms, 1000)
    moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds:03d}Z"
