"""Renders segments: the lab's own interpreter, for fillers, samples and the reference the engines are held to."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.template import Segment, Slot

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


@dataclass(frozen=True)
class Event:
    """What the slots of one event may look at; `values` are those of named slots, which rendering them sets."""

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
        elif segment["slot"] == "pad":
            pad = (len(parts), segment["text"])
            parts.append("")
        else:
            parts.append(_SLOTS[segment["slot"]](segment, numbers, event))
    if pad is not None and size_bytes is not None:
        place, text = pad
        parts[place] = text[: size_bytes - sum(len(part.encode()) for part in parts)]
    return "".join(parts)


def _uuid(_slot: Slot, numbers: RandomNumbers, _event: Event) -> str:
    octets = bytearray(b"".join(numbers.draw().to_bytes(4, "big") for _ in range(4)))
    octets[6] = octets[6] & 0x0F | 0x40
    octets[8] = octets[8] & 0x3F | 0x80
    digits = octets.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _integer(slot: Slot, numbers: RandomNumbers, _event: Event) -> str:
    return str(slot["min"] + numbers.below(slot["max"] - slot["min"] + 1))


def _decimal(slot: Slot, numbers: RandomNumbers, _event: Event) -> str:
    units = slot["min"] + numbers.below(slot["max"] - slot["min"] + 1)
    if units % 10 == 0:
        # A last digit of 0 would not survive a double: REST would store 1.50 and gRPC 1.5.
        units += 1 if units < slot["max"] else -1
    digits = str(abs(units)).rjust(slot["scale"] + 1, "0")
    return f"{'-' if units < 0 else ''}{digits[: -slot['scale']]}.{digits[-slot['scale'] :]}"


def _choice(slot: Slot, numbers: RandomNumbers, _event: Event) -> str:
    choices: list[str] = slot["choices"]
    return choices[numbers.below(len(choices))]


def _alphanumeric(slot: Slot, numbers: RandomNumbers, _event: Event) -> str:
    return "".join(ALPHABET[numbers.below(32)] for _ in range(slot["length"]))


def _date(slot: Slot, numbers: RandomNumbers, _event: Event) -> str:
    first = datetime.date(slot["from"], 1, 1)
    days = (datetime.date(slot["to"], 12, 31) - first).days + 1
    return (first + datetime.timedelta(days=numbers.below(days))).isoformat()


def _timestamp(_slot: Slot, _numbers: RandomNumbers, event: Event) -> str:
    moment_ms = event.base_time_ms + event.sequence * 1000 + event.user % 1000
    seconds, milliseconds = divmod(moment_ms, 1000)
    moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds:03d}Z"


def _named(slot: Slot, numbers: RandomNumbers, event: Event) -> str:
    text = _SLOTS[slot["of"]["slot"]](slot["of"], numbers, event)
    event.values[slot["name"]] = text
    return text


_SLOTS: Mapping[str, Callable[[Slot, RandomNumbers, Event], str]] = {
    "uuid": _uuid,
    "integer": _integer,
    "decimal": _decimal,
    "choice": _choice,
    "alphanumeric": _alphanumeric,
    "date": _date,
    "timestamp": _timestamp,
    "user": lambda _slot, _numbers, event: str(event.user),
    "sequence": lambda _slot, _numbers, event: str(event.sequence),
    "run": lambda _slot, _numbers, event: event.run,
    "key": lambda _slot, _numbers, event: event.key,
    "captured": lambda slot, _numbers, event: (event.captured or {})[slot["name"]],
    "named": _named,
    "value": lambda slot, _numbers, event: event.values[slot["name"]],
    "login": lambda slot, _numbers, event: (event.login or {})[slot["name"]],
}
