"""The kinds of hostile connections: kinds.toml of this package and a workload's own file, read into records."""

import string
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from bakeoff.documents.checked import Toml, read_toml
from bakeoff.documents.toml_lines import Place
from bakeoff.project import FORMATS
from bakeoff.targets.hostile_limits import Part
from bakeoff.workload.loader import Workload

Protocol: TypeAlias = Literal["http1", "http2"]

_SHIPPED = Path(__file__).with_name("kinds.toml")
_SCHEMA = FORMATS / "hostile.schema.json"
TEXT_NAMES = ("method", "path", "headers", "length")
"""The placeholders of a step's text."""
# Members of which a step has exactly one.
_DOES = ("text", "body", "gzip", "repeat", "pause_s", "headers", "continuation", "data", "reset", "ping", "settings")


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a connection sends. Exactly one member says which; formats/hostile.schema.json describes each."""

    text: str | None = None
    body: Literal["valid", "large"] | int | None = None
    less: int = 0
    gzip: int | None = None
    repeat: Sequence["Step"] = ()
    times: int | None = None
    pause_s: float | None = None
    headers: bool = False
    also: Mapping[str, str] = {}
    extra: Mapping[str, str] = {}
    fields: int = 0
    end: bool = False
    open_block: bool = False
    continuation: int | None = None
    data: int | None = None
    reset: bool = False
    ping: bool = False
    settings: bool = False

    @property
    def is_large(self) -> bool:
        """Whether it, or a step that it repeats, sends the workload's largest body."""
        return self.body == "large" or any(each.is_large for each in self.repeat)

    @property
    def problem(self) -> str | None:
        """Why it cannot be sent; None where it can."""
        does = [name for name in _DOES if not _is_absent(getattr(self, name))]
        if len(does) != 1:
            return f"a step does one thing, and this one has {' and '.join(does) or 'none'}. Make it one of several."
        try:
            named = [name for _, name, _, _ in string.Formatter().parse(self.text or "") if name is not None]
        except ValueError as error:
            return f"text: {error}. A brace is written {{{{ or }}}}."
        if unknown := [name for name in named if name not in TEXT_NAMES]:
            known = ", ".join(f"{{{name}}}" for name in TEXT_NAMES)
            return f"text: there is no {{{unknown[0]}}}. It may have {known}; a brace is written {{{{ or }}}}."
        return next((found for each in self.repeat if (found := each.problem) is not None), None)


def _is_absent(member: object) -> bool:
    # Not by equality: 0 empty bytes of `data` are a step.
    return member is None or member is False or member == () or member == []


class Holds(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The figures that must hold under a kind: memory in MB above that of the idle target, and times."""

    memory_mb: float
    answered_ms: float
    kept_mb: float
    kept_s: float
    ended_s: float


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One kind: `connections` connections do the same at once for `seconds`. `holds` are figures of its own."""

    name: str
    send: Sequence[Step]
    path: str | None = None
    connections: int = 4
    seconds: float = 4.0
    reads: bool = True
    again: bool = False
    pace: float | None = None
    window: int = 65_535
    grants: bool = True
    tls: bool = False
    honours_limit: bool = True
    stalls: Part | None = None
    holds: Mapping[str, float] = {}

    @property
    def is_large(self) -> bool:
        return any(step.is_large for step in self.send)

    def must_hold(self) -> Holds:
        """All figures, of a kind that `kinds_of` has completed."""
        return msgspec.convert(self.holds, Holds)


class KindsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of kinds, by protocol."""

    version: int
    holds: Mapping[str, float] = {}
    http1: Sequence[Kind] = ()
    http2: Sequence[Kind] = ()

    def over(self, protocol: Protocol) -> Sequence[Kind]:
        return self.http2 if protocol == "http2" else self.http1


def kinds_of(protocol: Protocol, workload: Workload | None = None) -> list[Kind]:
    """All kinds over a protocol, the shipped ones first, with all figures that must hold.

    Raises UsageError with file and line where the workload's own file is wrong.
    """
    shipped = _read(_SHIPPED).document
    own = shipped
    kinds = list(shipped.over(protocol))
    if workload is not None and (path := workload.file("hostile")) is not None:
        own = _read(path, has_large=workload.declared.batch.largest_bytes is not None).document
        kinds += own.over(protocol)
    usual = {**shipped.holds, **own.holds}
    return [msgspec.structs.replace(kind, holds={**usual, **kind.holds}) for kind in kinds]


def _read(path: Path, *, has_large: bool = True) -> Toml[KindsFile]:
    toml = read_toml(path, _SCHEMA, KindsFile)
    taken = () if path == _SHIPPED else _shipped_names()
    for place, words in _problems(toml.document, taken, has_large=has_large):
        raise toml.error(place, words)
    return toml


@cache
def _shipped_names() -> Sequence[str]:
    document = _read(_SHIPPED).document
    return [kind.name for kind in (*document.http1, *document.http2)]


def _problems(document: KindsFile, taken: Sequence[str], *, has_large: bool) -> Iterator[tuple[Place, str]]:
    """Rules that the schema cannot express, each with its place."""
    protocols: Sequence[Protocol] = ("http1", "http2")
    for protocol in protocols:
        names = list(taken)
        for index, kind in enumerate(document.over(protocol)):
            place = (protocol, index)
            if kind.name in names:
                yield (*place, "name"), f'another kind is named "{kind.name}": rename this one.'
            names.append(kind.name)
            if kind.is_large and not has_large:
                words = 'body = "large" needs largest_bytes in [batch] of workload.toml. Add it, or write a number.'
                yield (*place, "send"), f"{kind.name}: {words}"
            for problem in (step.problem for step in kind.send):
                if problem is not None:
                    yield (*place, "send"), f"{kind.name}: {problem}"
