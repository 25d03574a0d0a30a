"""The command line's entry: signals, and how errors reach a person."""

import errno
import gc
import getpass
import os
import re
import signal
import sys
import traceback
from itertools import takewhile
from types import FrameType
from typing import Any, NoReturn

import typer

from bakeoff.cli import completion
from bakeoff.cli.app import app
from bakeoff.cli.output import say
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import COMMAND, hidden_project

_OBJECTS_BETWEEN_COLLECTIONS = 50_000
_NOT_ALLOWED = "permission denied. Make it accessible for this user (chown, chmod), or work in a copy of your own."
_ADVICE = {
    errno.ENOSPC: "the disk is full. Free some space (the project's .bakeoff is bakeoff's own) and start again; a "
    f"comparison goes on with {COMMAND} run --resume.",
    errno.EMFILE: "this process has no file descriptor left. Raise the limit (ulimit -n 65536), or start fewer users.",
    errno.ENFILE: "this machine has no file descriptor left. End other programs, or raise fs.file-max.",
    errno.EADDRNOTAVAIL: "no local port is free. Wait for a minute, or widen net.ipv4.ip_local_port_range.",
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
    errno.EROFS: "the file system is read-only. Work in a copy that this user can write to.",
}


def main() -> NoReturn:
    """Runs the command line; every way out gives an exit status and at most one paragraph of words."""
    # Loading modules makes many objects and hardly any garbage: looking for it is a twentieth of a short command.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    signal.signal(signal.SIGTERM, _interrupt)
    # nohup lets us ignore it.
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _interrupt)
    # A script that starts us in the background makes us ignore SIGINT, so that it could not end a run in good order.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    completion.prepare()
    _name_account()
    if sys.platform != "linux":
        say("bakeoff: bakeoff-load is for Linux. Here stored results are read, and --engine k6 measures.")
    try:
        sys.exit(app(prog_name=COMMAND, standalone_mode=False, complete_var=completion.VARIABLE) or 0)
    except typer.Exit as leave:
        sys.exit(leave.exit_code)
    except UsageError as error:
        _leave("\n".join(filter(None, (error.message, hidden_project()))), error.exit_code)
    except BakeoffError as error:
        _leave(error.message, error.exit_code)
    except KeyboardInterrupt:
        _leave("interrupted before it began.", 130)
    except OSError as error:
        if error.errno == errno.EPIPE:
            # The reader of our output has closed it: there is nothing left to print.
            sys.stderr.close()
            sys.exit(1)
        advice = _ADVICE.get(error.errno or 0)
        place = f"{error.filename}: " if error.filename else ""
        _leave(_unexpected(error) if advice is None else f"{place}{advice}", 1)
    except Exception as error:  # noqa: BLE001 — no traceback reaches a user; it goes to a file
        if hasattr(error, "format_message"):
            _leave(_mistake(error), 2)
        _leave(_unexpected(error), 1)


def _name_account() -> None:
    """Names an account that the machine does not know, as in a container with --user, by its number.

    Libraries and targets ask for a name, and would fail without one.
    """
    try:
        getpass.getuser()
    except (KeyError, OSError):
        os.environ["LOGNAME"] = str(os.getuid())


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _leave(words: str, exit_code: int) -> NoReturn:
    say(f"bakeoff: {words}")
    sys.exit(exit_code)


def _mistake(error: Any) -> str:
    """The words of the library about a wrong command line, the word that was probably meant, and the help to read."""
    meant = getattr(error, "possibilities", None)
    words = f"{error.message}. Did you mean {meant[0]}?" if meant else _in_words(error.format_message())
    context = getattr(error, "ctx", None)
    command = context.command_path if context else " ".join([COMMAND, *takewhile(str.isalpha, sys.argv[1:])])
    return f"{words} Try {command} --help."


def _in_words(message: str) -> str:
    """A message about a value of the wrong kind as a sentence."""
    message = re.sub(r", unable to parse string as an? \w+", "", message.replace("Input should be", "it must be"))
    message = message.replace("a valid integer", "a whole number").replace("a valid number", "a number")
    return message if message.endswith((".", "?")) else f"{message}."


def _unexpected(error: Exception) -> str:
    from bakeoff.project import find_project

    words = f"unexpected {type(error).__name__}: {error}"
    try:
        log = find_project().logs / "unexpected-error.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("".join(traceback.format_exception(error)), "utf-8")
    except (OSError, BakeoffError):
        return f"{words}."
    return f"{words}. This is a fault of bakeoff's own: please report it with {log}."
