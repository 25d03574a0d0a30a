"""Kinds of values that options have: how each is read, shown, and described in a JSON Schema.

`read` takes a value as it is typed, as a TOML file holds it, or as a stored document does, and raises UsageError.
"""

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Generic, TypeVar

from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError
from bakeoff.options.otlp_endpoint import otlp_endpoint
from bakeoff.options.ssh_host import SCHEME, ssh_host
from bakeoff.results.labels import check_condition
from bakeoff.text.durations import seconds_of
from bakeoff.workload.reuse import parse_pick
from bakeoff.workload.transport_mode import transport_mode_named

T = TypeVar("T")
Schema = Mapping[str, Json]
Pins = Mapping[str, tuple[int, ...]]

PINNED_ROLES = ("target", "database", "engine")

_MEMORY_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LEAST_MEMORY_BYTES = 16 << 20
_SHORTEST_PING_S = 0.001


def in_words(value: object) -> str:
    """A level as names and records show it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class ValueKind(Generic[T]):
    """`metavar` stands for the value in help, empty for a switch. `is_repeated`: the option may be given again."""

    read: Callable[[Json], T]
    schema: Schema
    metavar: str
    words: Callable[[T], str] = in_words
    choices: tuple[str, ...] = ()
    is_repeated: bool = False

    @property
    def is_switch(self) -> bool:
        """Whether naming the option is enough."""
        return not self.metavar


def _text_of(value: Json) -> str:
    return value if isinstance(value, str) else in_words(value)


def text(metavar: str = "NAME", pattern: str = "", check: Callable[[str], object] = str) -> ValueKind[str]:
    """Any text that `check` accepts, which raises UsageError for others; a file's must match the pattern."""

    def read(value: Json) -> str:
        check(_text_of(value))
        return _text_of(value)

    return ValueKind(read, {"type": "string", **({"pattern": pattern} if pattern else {})}, metavar)


def choice(*choices: str) -> ValueKind[str]:
    """One of a few words."""

    def read(value: Json) -> str:
        if value not in choices:
            raise UsageError(f'unknown value "{value}": use {", ".join(choices[:-1])} or {choices[-1]}.')
        return str(value)

    return ValueKind(read, {"enum": list(choices)}, "|".join(choices), choices=choices)


def _is_decimal(text: str) -> bool:
    """Digits of other scripts, full-width ones among them, are no part of a number."""
    return text.isascii() and text.isdecimal()


def whole(least: int, most: int | None = None) -> ValueKind[int]:
    """A whole number."""

    def read(value: Json) -> int:
        number = int(value) if isinstance(value, str) and _is_decimal(value.strip()) else value
        if type(number) is not int or number < least or (most is not None and number > most):
            raise UsageError(f'"{value}" is not a whole number {_range(least, most)}.')
        return number

    schema: Schema = {"type": "integer", "minimum": least, **({} if most is None else {"maximum": most})}
    return ValueKind(read, schema, "N")


def number(least: float, most: float | None = None) -> ValueKind[float]:
    """A number."""

    def read(value: Json) -> float:
        read_number = _float_of(value)
        if read_number is None or read_number < least or (most is not None and read_number > most):
            raise UsageError(f'"{value}" is not a number {_range(least, most)}.')
        return read_number

    schema: Schema = {"type": "number", "minimum": least, **({} if most is None else {"maximum": most})}
    return ValueKind(read, schema, "NUMBER")


def _float_of(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str) and not value.isascii():
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _range(least: float, most: float | None) -> str:
    return f"of at least {least:g}" if most is None else f"from {least:g} to {most:,g}"


def _agents(value: Json) -> int | str:
    """A number of agents, or hosts."""
    text = _text_of(value).strip()
    if SCHEME not in text:
        return _AGENTS_HERE.read(value)
    hosts = [ssh_host(part.strip()) for part in text.split(",")]
    names = [host.destination for host in hosts]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"{twice} is named twice: one engine uses as many threads as it needs, so name it once.")
    return ",".join(host.url for host in hosts)


_AGENTS_HERE = whole(1, 64)
# A file varies their number: hosts are of the network of the person who runs it.
AGENTS: ValueKind[int | str] = ValueKind(_agents, _AGENTS_HERE.schema, "N|HOST,...")


def agents_in(value: int | str) -> int:
    """How many agents a value of AGENTS names."""
    return value if isinstance(value, int) else len(value.split(","))


def _check_address(text: str) -> None:
    try:
        address = ip_address(text)
    except ValueError as error:
        raise UsageError(f'"{text}" is no IP address: write one of this machine\'s, such as 10.0.0.1.') from error
    if address.is_loopback or address.is_unspecified:
        raise UsageError(f"{text} is no address that other hosts reach: write one of this machine's.")


ADDRESS = text("ADDRESS", check=_check_address)


def _check_output_file(path: str) -> None:
    file = Path(path).absolute()
    folder = next(each for each in file.parents if each.exists())
    is_other = file.exists() and not file.is_file()
    if is_other or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise UsageError(f"{path} cannot be written: name a file in a folder that this user can write to.")


OUTPUT_FILE = text("FILE", check=_check_output_file)
OTLP_URL = text("URL", check=otlp_endpoint)


SWITCH: ValueKind[bool] = ValueKind(bool, {"type": "boolean"}, "")


def duration(shortest_s: float) -> ValueKind[float]:
    """Seconds, written as a duration such as 10s; stored as a number."""

    def read(value: Json) -> float:
        return float(value) if isinstance(value, int | float) else seconds_of(str(value), shortest_s=shortest_s)

    return ValueKind(read, {"type": "string"}, "DURATION", lambda seconds: f"{seconds * 1000:g} ms")


def _memory(value: Json) -> int:
    if type(value) is int:
        return value
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG])", str(value).strip().upper())
    size = int(float(match.group(1)) * _MEMORY_UNITS[match.group(2)]) if match else 0
    if size < _LEAST_MEMORY_BYTES:
        raise UsageError(f'"{value}" is not a size of memory: write 512M or 2G, and at least 16M.')
    return size


MEMORY = ValueKind(_memory, {"type": "string"}, "SIZE", lambda size: f"{size / (1 << 20):g}M")


def several(one: ValueKind[T], metavar: str, advice: str) -> ValueKind[Sequence[T]]:
    """A list: separated by commas as text, an array in a file."""

    def read(value: Json) -> Sequence[T]:
        parts: Sequence[Json] = value.split(",") if isinstance(value, str) else list(_items(value))
        try:
            return tuple(one.read(part.strip() if isinstance(part, str) else part) for part in parts)
        except UsageError as error:
            raise UsageError(f'"{_shown(value)}": {advice}') from error

    return ValueKind(read, {"type": "array", "minItems": 1, "items": dict(one.schema)}, metavar)


def _items(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list | tuple) else [value]


def _shown(value: Json) -> str:
    return ",".join(map(in_words, _items(value)))


def _names(value: Json) -> Sequence[str]:
    return tuple(part.strip() for each in _items(value) for part in _text_of(each).split(","))


NAMES: ValueKind[Sequence[str]] = ValueKind(
    _names,
    {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}},
    "NAME",
    ", ".join,
    is_repeated=True,
)


def _conditions(value: Json) -> Sequence[str]:
    conditions = _names(value)
    for each in conditions:
        check_condition(each)
    return conditions


CONDITIONS: ValueKind[Sequence[str]] = replace(NAMES, read=_conditions, metavar="LABEL=VALUE")


def assignments(metavar: str, advice: str) -> ValueKind[Mapping[str, str]]:
    """Pairs of a name and a value, written name=value."""

    def read(value: Json) -> Mapping[str, str]:
        if isinstance(value, Mapping):
            return {str(name): str(each) for name, each in value.items()}
        pairs = {}
        for assignment in _items(value):
            name, _, assigned = _text_of(assignment).partition("=")
            if not (name and assigned):
                raise UsageError(f'"{assignment}": write {advice}.')
            pairs[name] = assigned
        return pairs

    return ValueKind(read, {"type": "object", "additionalProperties": {"type": "string"}}, metavar, is_repeated=True)


def _pins(value: Json) -> Pins:
    if isinstance(value, Mapping):
        return {name: tuple(int(str(cpu)) for cpu in _items(cpus)) for name, cpus in value.items()}
    pins: dict[str, tuple[int, ...]] = {}
    for part in str(value).split(","):
        role, _, cpus = part.strip().partition("=")
        spans = [_span(span) for span in cpus.split("+")] if re.fullmatch(r"\d+(-\d+)?(\+\d+(-\d+)?)*", cpus) else []
        if role not in PINNED_ROLES or role in pins or not all(spans) or not spans:
            raise UsageError(f'"{value}": write target=0-1,database=2,engine=3 (0+2 for CPUs that are not adjacent).')
        pins[role] = tuple(sorted({cpu for span in spans for cpu in span}))
    return pins


def _span(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _pins_in_words(pins: Pins) -> str:
    return ",".join(f"{role}={'+'.join(map(str, cpus))}" for role, cpus in pins.items())


PINS: ValueKind[Pins] = ValueKind(_pins, {"type": "string"}, "ROLE=CPUS,...", _pins_in_words)


def by_role(one: ValueKind[T], metavar: str, example: str) -> ValueKind[Mapping[str, T]]:
    """A value for each role; one without a role is the target's."""

    def read(value: Json) -> Mapping[str, T]:
        if isinstance(value, Mapping):
            return {str(role): one.read(each) for role, each in value.items()}
        given: dict[str, T] = {}
        for part in value.split(",") if isinstance(value, str) else [value]:
            role, is_named, own = part.strip().partition("=") if isinstance(part, str) else ("", "", part)
            role, own = (role, own) if is_named else ("target", part)
            if role not in PINNED_ROLES or role in given:
                raise UsageError(f'"{value}": write {example}.')
            given[role] = one.read(own)
        return given

    def words(given: Mapping[str, T]) -> str:
        if set(given) == {"target"}:
            return one.words(given["target"])
        return ",".join(f"{role}={one.words(each)}" for role, each in given.items())

    return ValueKind(read, {"type": "string"}, metavar, words)


CPUS_BY_ROLE = by_role(number(0.01), "CPUS|ROLE=CPUS,...", "2, or target=2,database=4,engine=2")
MEMORY_BY_ROLE = by_role(MEMORY, "SIZE|ROLE=SIZE,...", "2G, or target=2G,database=4G,engine=2G")


def parse_ping(text: str) -> Mapping[str, int | bool]:
    """The members of a plan's `ping` of `INTERVAL,TIMEOUT` or `INTERVAL,TIMEOUT,idle`. Raises UsageError."""
    parts = [part.strip() for part in text.split(",")]
    if not 2 <= len(parts) <= 3 or parts[2:] not in ([], ["idle"]):
        raise UsageError(f'"{text}" does not state pings: write 10s,3s, or 10s,3s,idle for pings without calls too.')
    interval_s, timeout_s = (seconds_of(part, shortest_s=_SHORTEST_PING_S) for part in parts[:2])
    ping: dict[str, int | bool] = {"interval_ms": round(interval_s * 1000), "timeout_ms": round(timeout_s * 1000)}
    return {**ping, "when_idle": True} if parts[2:] else ping


def planned_ping(text: str | None) -> Mapping[str, int | bool] | None:
    """The member of the plan for the option's value."""
    return None if text is None else parse_ping(text)


TRANSPORT_MODE = ValueKind(lambda value: transport_mode_named(_text_of(value)).name, {"type": "string"}, "MODE")
KEY_PICK = text("DISTRIBUTION", "^(uniform|zipf:[0-9.]+)$", parse_pick)
PING = text("INTERVAL,TIMEOUT", check=parse_ping)


_PHASE_USERS = whole(1, 100_000)
_PHASE_KINDS: Mapping[str, ValueKind[int] | ValueKind[float] | ValueKind[str]] = {
    "name": text(),
    "users": _PHASE_USERS,
    "rate": number(0.001, 10_000_000),
    "duration": duration(0.1),
    "from_users": _PHASE_USERS,
    "steps": whole(2, 100),
}


def _phase(entry: Json) -> Mapping[str, Json]:
    if not isinstance(entry, Mapping) or not entry.keys() <= _PHASE_KINDS.keys() or "duration" not in entry:
        raise UsageError(f"a phase has users or rate, a duration, and may have {', '.join(_PHASE_KINDS)}.")
    if ("users" in entry) == ("rate" in entry):
        raise UsageError("a phase has either users or a rate.")
    if "from_users" in entry and "users" not in entry:
        raise UsageError("from_users is where a ramp to users begins: a phase with a rate has none.")
    return {name: _PHASE_KINDS[name].read(value) for name, value in entry.items()}


PHASES: ValueKind[Sequence[Mapping[str, Json]]] = ValueKind(
    lambda value: tuple(map(_phase, _items(value))),
    {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {name: dict(kind.schema) for name, kind in _PHASE_KINDS.items()},
            "required": ["duration"],
            "additionalProperties": False,
        },
    },
    "PHASES",
    lambda phases: f"{len(phases)} phases",
)
