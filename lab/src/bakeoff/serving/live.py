"""The state of a running lab: a small file, replaced as a whole, that pages follow."""

from pathlib import Path

import msgspec
import psutil

from bakeoff.documents.whole_file import write_whole
from bakeoff.project import Project


def live_file(project: Project) -> Path:
    """Where a running lab says what it is at."""
    return project.state / "live.json"


class RunOfMany(msgspec.Struct):
    """Which run of the comparison is made, and the seconds that all that are left take."""

    number: int
    count: int
    left_s: float


class Standing(msgspec.Struct, frozen=True):
    """A contender at one load: medians over the rounds that held it, failures of all of them."""

    contender: str
    load: str
    rounds: int
    per_s: float
    p99_ms: float | None
    failed: int


class LiveState(msgspec.Struct):
    """The progress of a lab: rates and latencies of the latest whole seconds, and each contender so far."""

    pid: int
    command: str
    step: str = ""
    planned_s: float | None = None
    phase: str = ""
    failed: int = 0
    cpu_percent: dict[str, float] = {}
    run: RunOfMany | None = None
    rates_per_s: list[float] = []
    p99s_ms: list[float | None] = []
    standings: list[Standing] = []


def live_state(project: Project) -> LiveState | None:
    """The progress of this project's lab, or None where none runs.

    The file of a lab that was killed is left behind, so the process that it names must live.
    """
    try:
        state = msgspec.json.decode(live_file(project).read_bytes(), type=LiveState)
    except (OSError, ValueError):
        return None
    return state if psutil.pid_exists(state.pid) else None


class Publication:
    """The file that pages follow, while the `with` block lasts.

    It begins with the first state: a lab that is refused, because another is running, has none and leaves the other's
    file alone.
    """

    def __init__(self, path: Path, command: str) -> None:
        self._path = path
        self._command = command
        self._began = False

    def __enter__(self) -> "Publication":
        return self

    def __exit__(self, *_: object) -> None:
        if self._began:
            self._path.unlink(missing_ok=True)

    def publish(self, state: LiveState) -> None:
        self._began = True
        try:
            write_whole(self._path, msgspec.json.encode(msgspec.structs.replace(state, command=self._command)))
        except OSError:
            # No figure depends on this file; a full disk is reported by what must be written.
            return
