"""The record of the machine's state during a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class MachineFigures:
    """The machine around a run. CPU is per cent of one core, pressure per cent of the time.

    `speed_mb_s` is how fast one core hashed just before, when the load average was read. None was not recorded.
    """

    speed_mb_s: float | None = None
    load_average_before: float | None = None
    steal_percent: float | None = None
    other_cpu_percent: float | None = None
    lab_cpu_percent: float | None = None
    sampling_cpu_percent: float | None = None
    cpu_pressure_percent: float | None = None
    io_pressure_percent: float | None = None
    memory_pressure_percent: float | None = None


@dataclass(frozen=True)
class MachineState(MachineFigures):
    """The record of the machine's state: its figures, and what findings are made of.

    `fsync_before_ms` and `fsync_after_ms` are how long the database's disk took to keep a small write.
    `clock_jump_s` is how far the wall clock was set, `agents_apart_ms` by how much several engines began a phase apart,
    and `outside_phases_s` where the time went that the run took besides its phases.
    """

    speed_after_mb_s: float | None = None
    fsync_before_ms: float | None = None
    fsync_after_ms: float | None = None
    clock_jump_s: float | None = None
    agents_apart_ms: float | None = None
    outside_phases_s: Mapping[str, float] = field(default_factory=dict)
