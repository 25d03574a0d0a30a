"""Transport modes: one message in a request, several in a request, or a long stream of them for each user."""

import re
from dataclasses import dataclass, replace

from bakeoff.errors import UsageError


@dataclass(frozen=True)
class TransportMode:
    """`batch` is messages in one request, `window` messages in flight in a stream; `protocol` may be open."""

    batch: int = 1
    stream: bool = False
    window: int = 1
    protocol: str = ""

    def over(self, protocol: str) -> "TransportMode":
        return replace(self, protocol=protocol)

    @property
    def stored(self) -> str:
        """Its name in the metrics database: http, grpc-stream-16."""
        return self.protocol if self.name == "unary" else f"{self.protocol}-{self.name}"

    @property
    def options(self) -> str:
        """The command line's options for it, each with a space before it."""
        window = f" --window {self.window}" if self.window > 1 else ""
        return (f" --batch {self.batch}" if self.batch > 1 else "") + (f" --stream{window}" if self.stream else "")

    @property
    def name(self) -> str:
        """unary, batch-500, stream or stream-16: its name in files and tables."""
        if self.stream:
            return "stream" if self.window == 1 else f"stream-{self.window}"
        return "unary" if self.batch == 1 else f"batch-{self.batch}"


def transport_mode_named(name: str) -> TransportMode:
    """The transport mode of that name."""
    match = re.fullmatch(r"(unary|batch|stream)(?:-([1-9]\d{0,4}))?", name)
    kind, number = (match.group(1), match.group(2)) if match else ("", None)
    if kind == "unary" and number is None:
        return TransportMode()
    if kind == "batch" and number is not None:
        return TransportMode(batch=int(number))
    if kind == "stream":
        return TransportMode(stream=True, window=int(number or 1))
    raise UsageError(f'unknown transport mode "{name}": use unary, batch-500, stream or stream-16.')
