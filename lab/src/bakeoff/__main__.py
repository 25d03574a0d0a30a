"""`python -m bakeoff`, and the command `bakeoff` of an installed package."""

import sys

from bakeoff import __version__


def main() -> None:
    """Prints the version without loading the command line, which takes ten times as long."""
    if sys.argv[1:] == ["--version"]:
        print(f"bakeoff {__version__}")
        return
    from bakeoff.cli.main import main as command_line
    from bakeoff.git import leave_hook

    leave_hook()
    command_line()


if __name__ == "__main__":
    main()
