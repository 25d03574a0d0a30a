"""A run as rows of the metrics database, and back: each table's columns are named here once, for both ways.

A member has the column of its name unless another is given. Members that are no plain value are kept as JSON.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TypeVar, cast, get_type_hints

import msgspec
from psycopg import sql
from psycopg.types.json import Jsonb

from bakeoff.results.cost import Sample
from bakeoff.results.findings import Finding
from bakeoff.results.histograms import PERCENTILES, Latency
from bakeoff.results.run import Measured, PhaseResult, RunResult

Value = None | bool | int | float | str | datetime | Jsonb
Row = Mapping[str, Value]

_RUN = {"mode": "test_mode", "payload": "payload_size"}
_PHASE = {"number": "phase_number", "name": "phase_name"}
_MEASURED = {"requests": "total_requests", "ok": "ok_requests", "failed": "failed_requests"}
_FIGURES = (
    *("throughput_per_s", "error_rate", "sent_bytes_per_s", "received_bytes_per_s"),
    *("target_cpu_us_each", "target_memory_peak_mb", "database_cpu_us_each"),
)
_LATENCY = {name: f"latency_{name}" for name in ("count", "mean_ms", "min_ms", "max_ms")}
_PERCENTILES = {name: f"latency_{name.replace('.', '')}_ms" for name in PERCENTILES}
# Members that have a table, or columns, of their own.
_ELSEWHERE = {"phases", "total", "samples", "findings", "measured", "latency", "begin_ns", "end_ns"}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_Record = TypeVar("_Record")
_Part = int | Measured | Latency | Sequence[PhaseResult] | Sequence[Sample] | Sequence[Finding] | None


def run_row(run: RunResult) -> Row:
    """Of test_runs."""
    best = run.best_phase
    derived: Row = {"contender": run.name, "load": run.load, "machine": run.machine}
    return {**_columns(run, _RUN), **derived, "best_phase": None if best is None else best.number}


def measured_row(measured: Measured) -> Row:
    """Of performance_metrics, and of test_phases where it follows `phase_row`."""
    latency = measured.latency
    return {
        **_columns(measured, _MEASURED),
        **{name: getattr(measured, name) for name in _FIGURES},
        **{column: getattr(latency, name) for name, column in _LATENCY.items()},
        **{column: latency.percentiles_ms[name] for name, column in _PERCENTILES.items()},
    }


def phase_row(phase: PhaseResult) -> Row:
    """Of test_phases."""
    derived: Row = {"load": phase.load, "started_at": _moment(phase.begin_ns)}
    return {**_columns(phase, _PHASE), **derived, **measured_row(phase.measured)}


def sample_row(sample: Sample) -> Sequence[Value]:
    """Of resource_metrics, in the order of SAMPLE_COLUMNS."""
    return (_moment(sample.time_unix_ns), sample.role, sample.cpu_s, sample.memory_bytes, sample.pss_bytes)


SAMPLE_COLUMNS = ("sampled_at", "role", "cpu_s", "memory_bytes", "pss_bytes")


def finding_row(finding: Finding) -> Row:
    """Of findings."""
    return _columns(finding, {})


def run_of_rows(
    row: Row, total: Sequence[Row], phases: Sequence[Row], samples: Sequence[Row], findings: Sequence[Row]
) -> RunResult:
    """The run that its rows were made from."""
    return _record(
        RunResult,
        row,
        _RUN,
        phases=[_phase(phase) for phase in phases],
        total=_measured(total[0]) if total else None,
        samples=[_sample(sample) for sample in samples],
        findings=[_record(Finding, finding, {}) for finding in findings],
    )


def insertion(table: str, row: Row) -> sql.Composed:
    """The statement that adds a row, whose values are its parameters."""
    return sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(sql.Identifier(column) for column in row),
        sql.SQL(", ").join(sql.Placeholder() * len(row)),
    )


def _phase(row: Row) -> PhaseResult:
    measured, begin_ns = _measured(row), _unix_ns(row["started_at"])
    end_ns = begin_ns + round(measured.duration_s * 1e9)
    return _record(PhaseResult, row, _PHASE, begin_ns=begin_ns, end_ns=end_ns, measured=measured)


def _measured(row: Row) -> Measured:
    return _record(Measured, row, _MEASURED, latency=_latency(row))


def _latency(row: Row) -> Latency:
    percentiles = {name: row[column] for name, column in _PERCENTILES.items()}
    members = {name: row[column] for name, column in _LATENCY.items()}
    return msgspec.convert({**members, "percentiles_ms": percentiles}, Latency)


def _sample(row: Row) -> Sample:
    return msgspec.convert(
        [_unix_ns(row["sampled_at"]), *(row[column] for column in SAMPLE_COLUMNS[1:])], Sample, strict=False
    )


def _columns(record: RunResult | Measured | PhaseResult | Finding, renamed: Mapping[str, str]) -> dict[str, Value]:
    names = [field.name for field in fields(record) if field.name not in _ELSEWHERE]
    return {renamed.get(name, name): _value(getattr(record, name)) for name in names}


def _value(member: object) -> Value:
    if isinstance(member, Enum):
        return str(member.value)
    if isinstance(member, Path):
        return str(member)
    if member is None or isinstance(member, bool | int | float | str | datetime):
        return member
    return Jsonb(msgspec.to_builtins(member))


def _record(record: type[_Record], row: Row, renamed: Mapping[str, str], **others: _Part) -> _Record:
    """A record of its columns, and of `others`, which have their own tables."""
    from_columns: dict[str, Value] = {
        name: msgspec.convert(row[renamed.get(name, name)], hint, dec_hook=_path)
        for name, hint in _hints(cast("Hashable", record)).items()
        if name not in others
    }
    return record(**from_columns, **others)


@cache
def _hints(record: Hashable) -> Mapping[str, type]:
    return get_type_hints(record, include_extras=True)


def _path(kind: type, written: str) -> object:
    return Path(written) if kind is Path else written


def _moment(unix_ns: int) -> datetime:
    return datetime.fromtimestamp(unix_ns / 1e9, UTC)


def _unix_ns(moment: Value) -> int:
    assert isinstance(moment, datetime)
    # In whole numbers: a double of seconds is off by a quarter of a microsecond.
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000
