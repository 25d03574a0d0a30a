"""The processes of a program, and what runs them."""

from pathlib import Path

import psutil

from bakeoff.errors import BakeoffError


def tree_of(pid: int) -> list[psutil.Process]:
    """A process and all that it started. Raises BakeoffError where it has ended."""
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error as error:
        raise BakeoffError(f"The process {pid} has ended.") from error


def program_of(process: psutil.Process) -> str:
    """The name of its program, such as java; empty where it is out of sight."""
    try:
        return Path(process.exe()).name
    except (psutil.Error, OSError):
        return ""


def is_go(process: psutil.Process) -> bool:
    try:
        with Path(f"/proc/{process.pid}/exe").open("rb") as program:
            return b"Go buildinf:" in program.read()
    except OSError:
        return False
