"""Keeps calibrations, and finds the one that a run is to be compared with."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from bakeoff.postgres.server import Server
from bakeoff.storage.rows import insertion


@dataclass(frozen=True)
class Calibration:
    """A rate that nothing on this machine can exceed in a certain way of working.

    `kind` is `engine` (subject: the engine's name, and the version of its build) or `database` (subject: the reference
    line's name, and the version of PostgreSQL). `transport` is http, grpc and so on for an engine, sql for the
    database; `tls` whether it was inside TLS.
    """

    machine: str
    kind: str
    subject: str
    subject_version: str
    workload: str
    transport: str
    payload_size: str
    connections: int
    rate_per_s: float
    cpu_us_each: float | None = None
    tls: bool = False


def add_calibration(server: Server, calibration: Calibration, comparison_id: int | None = None) -> None:
    """Stores one; a line that was drawn for a comparison with its id."""
    row = {"measured_at": datetime.now(UTC), "comparison_id": comparison_id, **asdict(calibration)}
    with server.connect() as connection:
        connection.execute(insertion("calibrations", row), list(row.values()))


def latest_calibrations(server: Server, machine: str, workload: str, database: str | None = None) -> list[Calibration]:
    """The newest calibration of each subject and version, transport and payload on a machine, with TLS and without.

    The oldest come first. A reference line counts for an hour, and for the server that it was drawn on: `database`, its
    version and settings in words.
    """
    with server.connect() as connection:
        rows = connection.execute(
            "SELECT machine, kind, subject, subject_version, workload, transport, payload_size, connections,"
            " rate_per_s, cpu_us_each, tls FROM"
            " (SELECT DISTINCT ON (kind, subject, subject_version, transport, tls, payload_size) * FROM calibrations"
            " WHERE machine = %s AND workload = %s"
            " AND (kind <> 'database' OR (subject_version = %s AND measured_at > now() - interval '1 hour'))"
            " ORDER BY kind, subject, subject_version, transport, tls, payload_size, measured_at DESC) AS latest"
            " ORDER BY measured_at, id",
            [machine, workload, database],
        ).fetchall()
    return [Calibration(*row) for row in rows]
