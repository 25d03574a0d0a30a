"""Messages and JSON documents that commands print, and the command that was typed."""

import json
import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import typer

from bakeoff.project import COMMAND
from bakeoff.text.table import show


def typed_command() -> str:
    """The command line, as a shell takes it again."""
    return shlex.join([COMMAND, *sys.argv[1:]])


def say(words: str) -> None:
    """Prints a message on standard error, so that pipes get the result alone; a terminal breaks it between words."""
    if sys.stderr.isatty():
        show(words, stream=sys.stderr)
    else:
        print(words, file=sys.stderr)


def print_json(value: object) -> None:
    """One JSON document on standard output, and nothing else."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: Any) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
