"""Progress for a person: a live view on a terminal, plain lines elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from bakeoff.running.progress import Progress


@contextmanager
def shown(console: "Console | None" = None) -> "Iterator[Progress]":
    """The progress display that suits the console, standard error where none is given, while it lasts."""
    from rich.console import Console

    console = console or Console(stderr=True)
    if not console.is_terminal:
        from bakeoff.cli.plain_progress import PlainProgress

        yield PlainProgress(console)
        return
    from bakeoff.cli.live_view import LiveProgress

    with LiveProgress(console) as progress:
        yield progress
