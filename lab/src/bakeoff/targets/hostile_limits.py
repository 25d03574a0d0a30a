"""The `[hostile]` table of a target.toml: after how long a stalled request ends, and why memory is kept."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from bakeoff.errors import UsageError
from bakeoff.text.durations import seconds_of

Part: TypeAlias = Literal["head", "body", "handshake"]
"""The part of a request that makes no progress."""

# Settings of these names state the times by themselves.
_USUAL: Mapping[Part, str] = {
    "head": "read_header_timeout",
    "body": "read_timeout",
    "handshake": "handshake_timeout",
}


class HostileTable(msgspec.Struct, frozen=True):
    """A time is a duration, or the name of a setting with one as its default; empty where the table states none."""

    head_timeout: str = ""
    body_timeout: str = ""
    handshake_timeout: str = ""
    keeps_memory: str = ""

    def ended_after_s(self, part: Part, defaults: Mapping[str, str | None]) -> float | None:
        """Seconds after which the target ends a request that stalls in this part; None where it states no time.

        `defaults` are those of the target's settings by name. Raises UsageError for what is no duration.
        """
        text: str = getattr(self, f"{part}_timeout")
        if not text:
            return _duration_or_none(defaults.get(_USUAL[part]))
        default = defaults.get(text, text)
        if default is None:
            raise UsageError(f"the setting {text} states no default: add one, such as 60s.")
        try:
            return seconds_of(default)
        except UsageError as error:
            raise UsageError(f"neither a setting nor a time: {error}") from error

    def problem(self, defaults: Mapping[str, str | None]) -> tuple[str, str] | None:
        """The member that cannot be read, and why; None where all can."""
        for part in _USUAL:
            try:
                self.ended_after_s(part, defaults)
            except UsageError as error:
                return f"{part}_timeout", f"{part}_timeout: {error}"
        return None


def _duration_or_none(text: str | None) -> float | None:
    try:
        return None if text is None else seconds_of(text)
    except UsageError:
        # A name that the target uses for something else.
        return None
