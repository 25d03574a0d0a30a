"""A load, which every tool takes in its own options."""

from dataclasses import dataclass
from pathlib import Path

TEXT = "x" * 390


@dataclass(frozen=True)
class Load:
    """Requests to the null server: as many as go over the connections, or `rate` a second; `folder` is for files."""

    protocol: str
    port: int
    connections: int
    seconds: int
    rate: int | None
    folder: Path

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"
