"""The condition of the machine during a run: its speed, its load, and the processes that cause it."""

import hashlib
import os
import statistics
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bakeoff.results.machine_state import MachineState

_PROC = Path("/proc")
_PRESSURES = ("cpu", "io", "memory")
_PROBES = 7
_PROBE_BYTES = 1 << 20
# A time server turns a clock by half a second in a thousand at the most.
_SLEW = 0.001
_JUMP_S = 0.1


@dataclass(frozen=True)
class MachineCounters:
    """Cumulative counters at one instant. `steal_s` and `busy_s` are of all cores; pressures are stalled seconds.

    `at_s` is of the clock that never jumps, `wall_clock_s` of the one that people set. What the kernel does not tell is
    None or absent.
    """

    at_s: float
    wall_clock_s: float
    busy_s: float | None
    steal_s: float | None
    lab_cpu_s: float
    stalled_s: Mapping[str, float]


def machine_speed_mb_s() -> float:
    """How fast one core hashes now, the median of some short looks: a few milliseconds of work.

    Between runs of the same machine it tells throttling and neighbours; it says nothing about another machine.
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
    busy_s, steal_s = _cpu_times(proc)
    stalled = {name: _stalled_s(proc / "pressure" / name) for name in _PRESSURES}
    return MachineCounters(
        at_s=time.monotonic(),
        wall_clock_s=time.time(),
        busy_s=busy_s,
        steal_s=steal_s,
        lab_cpu_s=time.process_time(),
        stalled_s={name: seconds for name, seconds in stalled.items() if seconds is not None},
    )


def moved_past(counters: MachineCounters, pauses: Iterable[tuple[MachineCounters, MachineCounters]]) -> MachineCounters:
    """The counters as if they had stood still in each pause, from its begin to its end."""
    for begin, end in pauses:
        counters = MachineCounters(
            at_s=counters.at_s + end.at_s - begin.at_s,
            wall_clock_s=counters.wall_clock_s + end.wall_clock_s - begin.wall_clock_s,
            busy_s=_sum(counters.busy_s, _between(begin.busy_s, end.busy_s)),
            steal_s=_sum(counters.steal_s, _between(begin.steal_s, end.steal_s)),
            lab_cpu_s=counters.lab_cpu_s + end.lab_cpu_s - begin.lab_cpu_s,
            stalled_s={
                name: stalled_s + end.stalled_s.get(name, 0.0) - begin.stalled_s.get(name, 0.0)
                for name, stalled_s in counters.stalled_s.items()
            },
        )
    return counters


def load_between(
    before: MachineCounters, after: MachineCounters, roles_cpu_s: float | None, sampling_cpu_s: float
) -> MachineState:
    """Per cent of one core that was stolen, stalled, or used by anything else than the roles of the run and the lab.

    `sampling_cpu_s` is the part of the lab's own that sampling took. `roles_cpu_s` is None where not all roles could be
    sampled; then what others used is unknown. `clock_jump_s` is how far the wall clock was set meanwhile.
    """
    seconds = after.at_s - before.at_s
    if seconds <= 0:
        return MachineState()

    def percent(used_s: float | None) -> float | None:
        return None if used_s is None else 100 * max(0.0, used_s) / seconds

    def pressure(name: str) -> float | None:
        return percent(_between(before.stalled_s.get(name), after.stalled_s.get(name)))

    lab_s, busy_s = after.lab_cpu_s - before.lab_cpu_s, _between(before.busy_s, after.busy_s)
    return MachineState(
        steal_percent=percent(_between(before.steal_s, after.steal_s)),
        other_cpu_percent=percent(None if busy_s is None or roles_cpu_s is None else busy_s - roles_cpu_s - lab_s),
        lab_cpu_percent=percent(lab_s),
        sampling_cpu_percent=percent(sampling_cpu_s),
        clock_jump_s=_jump_s(after.wall_clock_s - before.wall_clock_s, seconds),
        cpu_pressure_percent=pressure("cpu"),
        io_pressure_percent=pressure("io"),
        memory_pressure_percent=pressure("memory"),
    )


def _between(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _sum(counter: float | None, more: float | None) -> float | None:
    return None if counter is None or more is None else counter + more


def _jump_s(wall_clock_s: float, seconds: float) -> float:
    """How far the wall clock was set; none where a time server may have slewed it."""
    jump_s = wall_clock_s - seconds
    return jump_s if abs(jump_s) > _JUMP_S + _SLEW * seconds else 0.0


def _cpu_times(proc: Path) -> tuple[float | None, float | None]:
    """Seconds that all cores were busy, and that the hypervisor took from them."""
    try:
        fields = (proc / "stat").read_text("utf-8").splitlines()[0].split()[1:]
    except OSError:
        return None, None
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    user, nice, system, _idle, _iowait, interrupts, soft_interrupts, steal = (int(field) for field in fields[:8])
    return (user + nice + system + interrupts + soft_interrupts) / ticks_per_s, steal / ticks_per_s


def _stalled_s(pressure: Path) -> float | None:
    """Seconds in which some task waited for the resource (the kernel's pressure stall information)."""
    try:
        some = pressure.read_text("utf-8").splitlines()[0]
    except OSError:
        return None
    return int(some.rpartition("total=")[2]) / 1e6
