"""Whether others use the machine: a measurement needs it for itself."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from bakeoff.doctor.diagnosis import Diagnosis, State

_LOOK_S = 0.5
_ALONE = "stop other processes, or measure on a dedicated machine"
_PRESSURES = ("cpu", "memory", "io")


@dataclass(frozen=True)
class Busy:
    """Use of the CPU while we looked, per cent of all cores: by other processes, and by other machines (steal).

    `busiest` names the processes that used most.
    """

    others_percent: float
    steal_percent: float
    busiest: Sequence[str]


def neighbour_checks() -> Iterator[Diagnosis]:
    """Every check of this file; looks for half a second."""
    busy = look(_LOOK_S)
    yield processes_of_others(busy)
    yield steal(busy.steal_percent)
    yield from (pressure(kind, _some_avg60(kind)) for kind in _PRESSURES)


def look(seconds: float) -> Busy:
    """Watches the machine for a while."""
    own = psutil.Process()
    watched = [process for process in psutil.process_iter(["name"]) if process.pid != own.pid]
    before_all, before = psutil.cpu_times(), {process.pid: _cpu_s(process) for process in watched}
    time.sleep(seconds)
    after_all = psutil.cpu_times()
    used = {process: _cpu_s(process) - before[process.pid] for process in watched}
    total = sum(after_all) - sum(before_all)
    # Only Linux reports waiting for disks and steal separately.
    idle, waiting, steal_s = (
        getattr(after_all, name, 0.0) - getattr(before_all, name, 0.0) for name in ("idle", "iowait", "steal")
    )
    most = sorted((process for process in used if used[process] > 0.02), key=lambda process: -used[process])[:3]
    others_s = max(0.0, total - idle - waiting - steal_s)
    return Busy(
        others_percent=100 * others_s / total if total > 0 else 0.0,
        steal_percent=100 * steal_s / total if total > 0 else 0.0,
        busiest=[f"{process.info['name']} ({process.pid})" for process in most],
    )


def processes_of_others(busy: Busy) -> Diagnosis:
    """Other processes on this machine."""
    names = f": {', '.join(busy.busiest)}" if busy.busiest else ""
    found = f"{busy.others_percent:.0f}% of the CPU in use{names}"
    if busy.others_percent < 5:
        return Diagnosis("other processes", State.OK, found)
    state = State.WRONG if busy.others_percent >= 50 else State.COSTLY
    cost = "they take CPU from target, database and engine: throughput falls and latencies rise at random"
    return Diagnosis("other processes", state, found, cost, _ALONE)


def steal(percent: float) -> Diagnosis:
    """CPU that the hypervisor gave to other machines."""
    found = f"{percent:.1f}% of the CPU stolen by other machines"
    if percent < 1:
        return Diagnosis("steal", State.OK, found)
    state = State.WRONG if percent >= 10 else State.COSTLY
    cost = "pauses that look like the target's: p99 varies, and rounds differ"
    return Diagnosis("steal", state, found, cost, "use a machine with dedicated cores, or more --rounds on this one")


def pressure(kind: str, avg60: float | None) -> Diagnosis:
    """Share of the last minute in which a process waited for a resource, per cent; None where the kernel is silent."""
    subject = f"{kind} pressure"
    if avg60 is None:
        return Diagnosis(subject, State.UNKNOWN, "not reported by this kernel (PSI)")
    found = f"a task waited during {avg60:.1f}% of the last minute"
    if avg60 < 10:
        return Diagnosis(subject, State.OK, found)
    cost = "measured processes wait too, which lowers throughput and raises latencies"
    return Diagnosis(subject, State.WRONG if avg60 >= 50 else State.COSTLY, found, cost, _ALONE)


def _some_avg60(kind: str) -> float | None:
    try:
        return avg60_of(Path(f"/proc/pressure/{kind}").read_text("utf-8"))
    except OSError:
        return None


def avg60_of(text: str) -> float | None:
    """The `some avg60` of a file of /proc/pressure."""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["some"]:
            figures = dict(word.split("=", 1) for word in words[1:])
            return float(figures["avg60"])
    return None


def _cpu_s(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)
