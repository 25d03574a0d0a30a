"""The command that was typed."""

import shlex
import sys


def typed_command() -> str:
    """As a shell takes it again."""
    return shlex.join(["./bakeoff", *sys.argv[1:]])
