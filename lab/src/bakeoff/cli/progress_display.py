"""Progress for a person: a live view on a terminal, plain lines elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from bakeoff.running.progress import Progress
    from bakeoff.serving.live import LiveState


@contextmanager
def shown(
    follow: "Callable[[LiveState], None]" = lambda _: None, console: "Console | None" = None
) -> "Iterator[Progress]":
    """The progress display that suits the console, standard error where none is given, while it lasts.

    Each change of its state is given to `follow`.
    """
    from rich.console import Console

    console = console or Console(stderr=True)
    if not console.is_terminal:
        from bakeoff.cli.plain_progress import PlainProgress

        yield PlainProgress(console, follow)
        return
    from bakeoff.cli.live_view import LiveProgress

    with LiveProgress(console, follow) as progress:
        yield progress
