"""A plan of the tests' own, which scripts follow in the place of engines."""

from types import SimpleNamespace
from typing import Any

import msgspec


class Scripted(msgspec.Struct):
    """A script's instructions, in place of a plan."""

    parts: list[dict[str, Any]]
    ledger: str | None = None

    @property
    def transport(self) -> Any:
        return SimpleNamespace(timeout_ms=1_000)

    def encoded(self) -> bytes:
        return msgspec.json.encode(self)
