"""How long targets take from their start to the first message acknowledged: `python lab/benchmarks/cold_start.py`.

The targets must be built (`./bakeoff build`). Each is started five times, in turns, beside a PostgreSQL that is at
work, and tried every millisecond until it takes connections; then one message is sent. What the client itself takes
is in the figure.
"""

import socket
import statistics
import time
from dataclasses import dataclass
from typing import Any

from clone import project_here

from bakeoff.conformance.case import Call
from bakeoff.conformance.runner import load_cases, speaker_to
from bakeoff.postgres.databases import application_database
from bakeoff.running.fresh_state import fresh_table
from bakeoff.targets.access import Access
from bakeoff.targets.health import NO_ANSWER, Answer
from bakeoff.targets.manifest import Target, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import Workload, load_workload

_ROUNDS = 5
_PAUSE_S = 0.001
_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class FirstMessage:
    """Is healthy when a message was acknowledged."""

    target: Target
    workload: Workload
    message: Any

    def answer(self, access: Access) -> Answer:
        """Waits until the target takes connections, and sends the message."""
        deadline = time.monotonic() + _TIMEOUT_S
        while not _takes_connections(access):
            if time.monotonic() > deadline:
                return NO_ANSWER
            time.sleep(_PAUSE_S)
        speaker = speaker_to(self.target.protocol, self.workload, access, is_reachable=True)
        return Answer(is_healthy=not speaker.store(self.message))


def main() -> None:
    """Prints a line for each target: the median and the range, in milliseconds."""
    project = project_here()
    targets = [target for target in find_targets(project) if target.build.artifact.exists()]
    taken_ms: dict[str, list[float]] = {target.name: [] for target in targets}
    with application_database(project) as server:
        for target in targets * _ROUNDS:
            workload = load_workload(project, target.workload)
            fresh_table(workload, server)
            first = FirstMessage(target, workload, _message(workload))
            with TargetProcess(target, server, first, project.logs / "cold-start.log") as process:
                taken_ms[target.name].append(process.start_s * 1000)
    for name, times_ms in taken_ms.items():
        print(f"{name:28} {statistics.median(times_ms):6.0f} ms ({min(times_ms):.0f} to {max(times_ms):.0f})")


def _message(workload: Workload) -> Any:
    return next(case.message for case in load_cases(workload) if case.call is Call.SINGLE and case.rows)


def _takes_connections(access: Access) -> bool:
    try:
        socket.create_connection((access.host, access.port), timeout=1).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
