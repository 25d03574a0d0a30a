"""Completion by the shell: the scripts that it reads, and the values that it is offered."""

import os
from pathlib import Path
from typing import Annotated

import typer

from bakeoff.errors import BakeoffError, UsageError

# The library would name it after the program, and a shell passes on no variable called _./BAKEOFF_COMPLETE.
VARIABLE = "_BAKEOFF_COMPLETE"

# They speak the library's protocol. Its own scripts want a program on PATH.
_SCRIPTS = Path(__file__).with_name("completions")
_SHELLS = ("bash", "zsh", "fish")


def complete_shell(incomplete: str) -> list[str]:
    """Shells that begin with what has been typed."""
    return [shell for shell in _SHELLS if shell.startswith(incomplete)]


def completion(
    shell: Annotated[str, typer.Argument(help="Shell: bash, zsh or fish.", autocompletion=complete_shell)],
) -> None:
    """Print the completion script of a shell. In ~/.bashrc: eval "$(bakeoff completion bash)"."""
    if shell not in _SHELLS:
        raise UsageError(f'There is no completion for "{shell}". Shells: {", ".join(_SHELLS)}.')
    typer.echo((_SCRIPTS / f"bakeoff.{shell}").read_text("utf-8"), nl=False)


def prepare() -> None:
    """Makes the library's protocol known when a shell asks."""
    if VARIABLE in os.environ:
        import typer.completion as library

        # Public in all but name: with its own options switched off, the library does not call it.
        library.completion_init()  # type: ignore[attr-defined]


def complete_target(incomplete: str) -> list[str]:
    """Names of targets that begin with what has been typed."""
    from bakeoff.project import find_project
    from bakeoff.targets.manifest import find_targets

    try:
        return [target.name for target in find_targets(find_project()) if target.name.startswith(incomplete)]
    except (BakeoffError, OSError):
        # A shell that completes has no place for words.
        return []


def complete_mode(incomplete: str) -> list[str]:
    """Modes that begin with what has been typed."""
    from bakeoff.options.table import MODES

    return [mode for mode in MODES if mode.startswith(incomplete)]
