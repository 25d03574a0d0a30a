"""`bakeoff logs`."""

import contextlib
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TextIO

import typer

from bakeoff.cli.completion import complete_target
from bakeoff.cli.output import say
from bakeoff.errors import BakeoffError
from bakeoff.project import COMMAND, Project, find_project, path_here

_LOOK_EVERY_S = 0.2


def logs(
    target: Annotated[str, typer.Argument(help="The target.", autocompletion=complete_target)],
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Print new lines, until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, max=1_000_000, help="Number of last lines.")] = 100,
) -> None:
    """Print the newest log of a target."""
    from bakeoff.targets.manifest import choose_targets, find_targets

    project = find_project()
    chosen, *_ = choose_targets(find_targets(project), [target])
    log = newest_log(project, chosen.name)
    say(path_here(log))
    with contextlib.suppress(KeyboardInterrupt), log.open("r", encoding="utf-8", errors="replace") as file:
        sys.stdout.writelines(deque(file, maxlen=lines))
        sys.stdout.flush()
        if follow:
            copy_what_is_added(file, log, sys.stdout, lambda: time.sleep(_LOOK_EVERY_S))


def newest_log(project: Project, name: str) -> Path:
    """Of the logs that `up`, runs and conformance checks have left, the one that was written last."""
    others = [project.logs / f"{each}.log" for each in (f"up-{name}", f"{name}-conformance", f"{name}-durability")]
    runs = [path for path in (project.results / name).glob("*.log") if not _is_engine_log(path)]
    found = [path for path in [*runs, *others] if path.is_file()]
    if not found:
        raise BakeoffError(f"{name} has no log yet: {COMMAND} up {name} starts it.")
    return max(found, key=lambda path: path.stat().st_mtime_ns)


def _is_engine_log(path: Path) -> bool:
    return ".engine." in path.name


def copy_what_is_added(file: TextIO, path: Path, out: TextIO, pause: Callable[[], None]) -> None:
    """Copies what is appended; a log that starts again, shorter, is read from its beginning. Ends with Ctrl-C."""
    while True:
        if path.stat().st_size < file.tell():
            file.seek(0)
        added = file.read()
        out.write(added)
        out.flush()
        if not added:
            pause()
