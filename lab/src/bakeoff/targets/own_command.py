"""Commands of a target's own that make the state its runs start from: `prepare` and `reset`."""

import signal
from pathlib import Path
from subprocess import TimeoutExpired

from bakeoff.errors import BakeoffError
from bakeoff.processes import children
from bakeoff.targets.manifest import Target
from bakeoff.targets.short_form import filled_command, shell_command
from bakeoff.targets.storage import Command
from bakeoff.targets.surroundings import Surroundings

_ENDS_WITHIN_S = 1800.0
_STOPS_WITHIN_S = 10.0


def run_own_command(target: Target, name: str, command: Command, around: Surroundings, log: Path) -> None:
    """Runs the command of this name in [storage] to its end, where and with what the target itself runs.

    Raises BakeoffError with the last lines of its log where it fails.
    """
    placeholders = around.placeholders(target)
    words = shell_command(command) if isinstance(command, str) else command
    try:
        filled, variables = filled_command(words, placeholders.fill), around.variables(target, placeholders)
        process = around.launcher.start(around.program(target, name, filled, variables, log))
        try:
            process.wait(_ENDS_WITHIN_S)
        finally:
            status = around.launcher.end(process, signal.SIGTERM, _STOPS_WITHIN_S)
    except OSError as error:
        raise BakeoffError(f"{target.name}: {name} cannot be started: {error.strerror}: {words[0]}.") from error
    except TimeoutExpired as error:
        raise BakeoffError(
            f"{target.name}: {name} did not end within {_ENDS_WITHIN_S:.0f} s. Last lines of {log}:\n"
            f"{children.last_lines(log)}"
        ) from error
    finally:
        placeholders.clear()
    if status != 0:
        raise BakeoffError(
            f"{target.name}: {name} failed with status {status}. Correct {name} in its storage. "
            f"Last lines of {log}:\n{children.last_lines(log)}"
        )
