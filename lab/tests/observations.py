"""Invented observations of PostgreSQL and of the machine, for a run's record."""

from typing import Any

import msgspec

from bakeoff.results.database_activity import DatabaseActivity
from bakeoff.results.machine_state import MachineState

ACTIVITY: dict[str, Any] = {
    "commits": 250,
    "rollbacks": 0,
    "wal_bytes": 400_000,
    "checkpoints": 2,
    "rows_inserted": 600,
    "rows_updated": 400,
    "rows_deleted": 0,
    "rows_hot_updated": 360,
    "operations": 1000,
    "wal_bytes_per_operation": 400.0,
    "operations_per_commit": 4.0,
    "hot_update_share": 0.9,
    "looks": 20,
    "active_backends_mean": 1.5,
    "connections_peak": 2,
    "wait_shares": {"CPU": 0.6, "IO:WalSync": 0.25, "LWLock:WALWrite": 0.1, "Lock:extend": 0.05},
}
STATE: dict[str, Any] = {
    "speed_mb_s": 1750.4,
    "load_average_before": 2.97,
    "steal_percent": 0.11,
    "other_cpu_percent": 3.2,
    "lab_cpu_percent": 0.9,
    "sampling_cpu_percent": 0.5,
    "clock_jump_s": 0.0,
    "cpu_pressure_percent": 55.2,
    "io_pressure_percent": 2.0,
    "memory_pressure_percent": 0.0,
    "outside_phases_s": {"start": 1.1},
}


def database_activity(document: dict[str, Any]) -> DatabaseActivity:
    """The record that a document holds."""
    return msgspec.convert(document, DatabaseActivity)


def machine_state(document: dict[str, Any] | None) -> MachineState | None:
    """The record that a document holds."""
    return None if document is None else msgspec.convert(document, MachineState)
