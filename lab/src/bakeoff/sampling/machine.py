"""What the machine itself was like during a run: how fast, how loaded, and by whom."""

import hashlib
import os
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def load_between(
    before: MachineCounters, after: MachineCounters, roles_cpu_s: float | None, sampling_cpu_s: float
) -> dict[str, Any]:
    """Per cent of one core that was stolen, stalled, or used by anybody else than the roles of the run and the lab.

    `sampling_cpu_s` is the part of the lab's own that sampling took. `roles_cpu_s` is None where not all roles could be
    sampled; then nobody can tell who else was at work. `clock_jump_s` is how far the wall clock was set meanwhile.
    """
    seconds = after.at_s - before.at_s
    if seconds <= 0:
        return {}

    def percent(used_s: float | None) -> float | None:
        return None if used_s is None else 100 * max(0.0, used_s) / seconds

    others_s = None
    if before.busy_s is not None and after.busy_s is not None and roles_cpu_s is not None:
        others_s = after.busy_s - before.busy_s - roles_cpu_s - (after.lab_cpu_s - before.lab_cpu_s)
    stolen_s = None if before.steal_s is None or after.steal_s is None else after.steal_s - before.steal_s
    return {
        "steal_percent": percent(stolen_s),
        "other_cpu_percent": percent(others_s),
        "lab_cpu_percent": percent(after.lab_cpu_s - before.lab_cpu_s),
        "sampling_cpu_percent": percent(sampling_cpu_s),
        "clock_jump_s": _jump_s(after.wall_clock_s - before.wall_clock_s, seconds),
        **{
            f"{name}_pressure_percent": percent(after.stalled_s[name] - stalled_s)
            for name, stalled_s in before.stalled_s.items()
            if name in after.stalled_s
        },
    }


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
