"""The condition of the machine during a run: its speed, its disk, its load, and the processes that cause it."""

import contextlib
import hashlib
import os
import statistics
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from bakeoff.results.machine_state import MachineState

_PROC = Path("/proc")
_PRESSURES = ("cpu", "io", "memory")
_PROBES = 7
_PROBE_BYTES = 1 << 20
# A time server turns a clock by half a second in a thousand at the most.
_SLEW = 0.001
_JUMP_S = 0.1


# Cumulative counters at one instant, in seconds by name; what the kernel does not report is absent. `at_s` is of the
# clock that never jumps, `wall_clock_s` of the one that people set; `busy_s` and `steal_s` are of all cores.
MachineCounters = Mapping[str, float]


def machine_speed_mb_s() -> float:
    """How fast one core hashes now, the median of some short looks: a few milliseconds of work.

    Between runs of the same machine it shows throttling and neighbours; it says nothing about another machine.
    """
    block = bytes(_PROBE_BYTES)
    rates = []
    for _ in range(_PROBES):
        began = time.perf_counter()
        hashlib.sha256(block).digest()
        rates.append(_PROBE_BYTES / 1e6 / (time.perf_counter() - began))
    return statistics.median(rates)


def load_average() -> float | None:
    """The kernel's load average over the last minute."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


def machine_counters(proc: Path = _PROC) -> MachineCounters:
    """The counters now."""
    counters = {"at_s": time.monotonic(), "wall_clock_s": time.time(), "lab_cpu_s": time.process_time()}
    with contextlib.suppress(OSError):
        ticks = (proc / "stat").read_text("utf-8").splitlines()[0].split()[1:9]
        user, nice, system, _idle, _iowait, interrupts, soft_interrupts, steal = (
            int(each) / os.sysconf("SC_CLK_TCK") for each in ticks
        )
        counters |= {"busy_s": user + nice + system + interrupts + soft_interrupts, "steal_s": steal}
    for resource in _PRESSURES:
        with contextlib.suppress(OSError):
            # Seconds in which some task waited for the resource (the kernel's pressure stall information).
            some = (proc / "pressure" / resource).read_text("utf-8").splitlines()[0]
            counters[f"{resource}_stalled_s"] = int(some.rpartition("total=")[2]) / 1e6
    return counters


def moved_past(counters: MachineCounters, pauses: Iterable[tuple[MachineCounters, MachineCounters]]) -> MachineCounters:
    """The counters as if they had stood still in each pause, from its begin to its end."""
    for begin, end in pauses:
        known = counters.keys() & begin.keys() & end.keys()
        counters = {name: counters[name] + end[name] - begin[name] for name in known}
    return counters


def load_between(
    before: MachineCounters, after: MachineCounters, roles_cpu_s: float | None, sampling_cpu_s: float
) -> MachineState:
    """Per cent of one core that was stolen, stalled, or used by anything else than the roles of the run and the lab.

    `sampling_cpu_s` is the part of the lab's own that sampling took. `roles_cpu_s` is None where not all roles could be
    sampled; then what others used is unknown. `clock_jump_s` is how far the wall clock was set meanwhile.
    """
    passed = {name: after[name] - before[name] for name in before.keys() & after.keys()}
    seconds = passed["at_s"]
    if seconds <= 0:
        return MachineState()

    def percent(used_s: float | None) -> float | None:
        return None if used_s is None else 100 * max(0.0, used_s) / seconds

    is_known = "busy_s" in passed and roles_cpu_s is not None
    jump_s = passed["wall_clock_s"] - seconds
    return MachineState(
        steal_percent=percent(passed.get("steal_s")),
        other_cpu_percent=percent(passed["busy_s"] - (roles_cpu_s or 0) - passed["lab_cpu_s"]) if is_known else None,
        lab_cpu_percent=percent(passed["lab_cpu_s"]),
        sampling_cpu_percent=percent(sampling_cpu_s),
        # No jump where a time server may have slewed it.
        clock_jump_s=jump_s if abs(jump_s) > _JUMP_S + _SLEW * seconds else 0.0,
        cpu_pressure_percent=percent(passed.get("cpu_stalled_s")),
        io_pressure_percent=percent(passed.get("io_stalled_s")),
        memory_pressure_percent=percent(passed.get("memory_stalled_s")),
    )


_WRITES = 15
_BLOCK = bytes(8192)


def fsync_ms(folder: Path) -> float | None:
    """The median of some writes of a block, each forced to disk, in its own file; None where that is refused.

    A few dozen milliseconds. Between runs on one machine it shows a disk that other processes use, or that throttles.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            return statistics.median(_synced_ms(file.fileno()) for _ in range(_WRITES))
    except OSError:
        return None


def _synced_ms(descriptor: int) -> float:
    began = time.perf_counter()
    os.pwrite(descriptor, _BLOCK, 0)
    os.fdatasync(descriptor)
    return (time.perf_counter() - began) * 1000
