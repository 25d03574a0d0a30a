"""One level of each factor, and the names that contenders get from what differs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bakeoff.errors import UsageError
from bakeoff.workload.reuse import Reuse


@dataclass(frozen=True)
class Sending:
    """How messages travel: one in a request, several in a request, or a long stream of them for each user."""

    batch: int = 1
    stream: bool = False
    window: int = 1

    @property
    def name(self) -> str:
        """unary, batch-500, stream or stream-16: what files and tables call it."""
        if self.stream:
            return "stream" if self.window == 1 else f"stream-{self.window}"
        return "unary" if self.batch == 1 else f"batch-{self.batch}"


def sending_named(name: str) -> Sending:
    """The way of sending that a name stands for."""
    match = re.fullmatch(r"(unary|batch|stream)(?:-([1-9]\d{0,4}))?", name)
    kind, number = (match.group(1), match.group(2)) if match else ("", None)
    if kind == "unary" and number is None:
        return Sending()
    if kind == "batch" and number is not None:
        return Sending(batch=int(number))
    if kind == "stream":
        return Sending(stream=True, window=int(number or 1))
    raise UsageError(f'"{name}" is no way of sending: write unary, batch-500, stream or stream-16.')


@dataclass(frozen=True)
class Variant:
    """One level of each factor. `connections` None: one for each user; `reuse` and `preload`: the stored data.

    `twin` tells apart entries that are alike in everything.
    """

    payload: str = "default"
    engine: str = "native"
    sending: Sending = Sending()
    connections: int | None = None
    reuse: Reuse = field(default_factory=Reuse)
    preload: int = 0
    tls: bool = False
    token: bool = False
    twin: int = 1
    settings: Mapping[str, str] = field(default_factory=dict)

    def levels(self) -> dict[str, str]:
        """Each factor's level as text, settings of the target first."""
        reuse = self.reuse
        return {
            **self.settings,
            "payload": self.payload,
            "sending": self.sending.name,
            "connections": "one-each" if self.connections is None else str(self.connections),
            "update_share": "as-declared" if reuse.share is None else f"{reuse.share:g}",
            "key_pick": reuse.pick or "as-declared",
            "shared_keys": "none" if reuse.shared is None else str(reuse.shared),
            "preload": str(self.preload),
            "tls": _switch(self.tls),
            "token": _switch(self.token),
            "engine": self.engine,
            "aa": str(self.twin),
        }

    def differences_from_default(self) -> dict[str, str]:
        """The levels that are not those of a plain run, for its record."""
        usual = Variant().levels()
        return {name: level for name, level in replace(self, twin=1).levels().items() if usual.get(name) != level}


def factors_of(variants: Sequence[Variant]) -> list[dict[str, str]]:
    """The levels of each variant, of the factors only in which the variants differ."""
    levels = [variant.levels() for variant in variants]
    names = {name for each in levels for name in each}
    differing = {name for name in names if len({each.get(name) for each in levels}) > 1}
    return [{name: level for name, level in each.items() if name in differing} for each in levels]


def key_of(target: str, factors: Mapping[str, str]) -> str:
    """What a contender is called: unique in its comparison."""
    return " ".join([target, *(f"{name}={level}" for name, level in factors.items())])


def _switch(on: bool) -> str:
    return "on" if on else "off"
