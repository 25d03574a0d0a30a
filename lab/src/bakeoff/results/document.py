"""A run as a JSON document, and back: everything that storing, judging and reporting need, in a versioned form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from bakeoff.documents import Document, first_problem
from bakeoff.engines.histograms import Latency
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.results.run import Finding, Measured, PhaseResult, RunResult, Second, Status
from bakeoff.sampling.cost import Cost
from bakeoff.sampling.sampler import Sample

# Version 1 had no number, no timeline and no samples.
VERSION = 2

_SCHEMA = Path(__file__).with_name("run.schema.json")
_CONVERTED = {
    "started_at",
    "finished_at",
    "status",
    "phases",
    "total",
    "samples",
    "findings",
    "stream_file",
    "timeline",
}
_AS_THEY_ARE = [field.name for field in fields(RunResult) if field.name not in _CONVERTED]


@dataclass(frozen=True)
class Origin:
    """The comparison that a run belongs to; `started_at` and `command` tell it from others."""

    started_at: datetime
    name: str
    workload: str
    mode: str
    command: str
    rounds: int


@dataclass(frozen=True)
class StoredDocument:
    """A run as its document gives it; `origin` is None where the document does not name a comparison."""

    run: RunResult
    origin: Origin | None


def document_of(
    run: RunResult, project: Project, bottleneck: Mapping[str, str] | None, origin: Origin | None = None
) -> Document:
    """The document of a run.

    Throughput, error rate and `bottleneck` follow from the rest, and reading the document back leaves them out.
    """
    return {
        "version": VERSION,
        "comparison": None if origin is None else {**asdict(origin), "started_at": origin.started_at.isoformat()},
        **{name: getattr(run, name) for name in _AS_THEY_ARE},
        "status": run.status.value,
        "started_at": run.started_at.isoformat(),
        "finished_at": run.finished_at.isoformat(),
        "stream_file": None if run.stream_file is None else project.relative(run.stream_file),
        "findings": [asdict(finding) for finding in run.findings],
        "bottleneck": bottleneck,
        "total": None if run.total is None else _measured_document(run.total),
        "phases": [_phase_document(phase) for phase in run.phases],
        "timeline": [astuple(second) for second in run.timeline],
        "samples": [astuple(sample) for sample in run.samples],
    }


def text_of(document: object) -> str:
    """JSON for people and programs: one member a line, and rows of figures kept on one."""
    return _laid_out(document, "") + "\n"


def read_documents(text: str, source: str, project: Project) -> list[StoredDocument]:
    """The runs of a document: of one run, or of several (`{"version": …, "runs": […]}`).

    What cannot be a whole document of a version that this lab knows is a BakeoffError that names `source`.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise BakeoffError(f"{source} is cut off or no JSON: {error}.") from error
    if not isinstance(document, dict):
        raise BakeoffError(f"{source} is no result of a run: it holds no JSON object.")
    _refuse_newer(document, source)
    parts = document["runs"] if isinstance(document.get("runs"), list) else [document]
    return [_read(part, source, project) for part in parts]


def _refuse_newer(document: Document, source: str) -> None:
    version = document.get("version", 1)
    if isinstance(version, int) and version > VERSION:
        raise BakeoffError(f"{source} is of version {version}, and this lab reads up to {VERSION}. Update bakeoff.")


def _read(document: Any, source: str, project: Project) -> StoredDocument:
    problem = first_problem(document, _SCHEMA)
    if problem:
        raise BakeoffError(f"{source} is no result of a run: {problem}.")
    try:
        return StoredDocument(_run(document, project), _origin(document.get("comparison")))
    except (ValueError, TypeError, IndexError) as error:
        raise BakeoffError(f"{source} is no result of a run: {error}.") from error


def _run(document: Document, project: Project) -> RunResult:
    stream_file = document.get("stream_file")
    total = document["total"]
    return RunResult(
        started_at=_moment(document["started_at"]),
        finished_at=_moment(document["finished_at"]),
        status=Status(document["status"]),
        phases=[_phase(phase) for phase in document["phases"]],
        total=None if total is None else _measured(total),
        samples=[Sample(*row) for row in document.get("samples", [])],
        findings=[Finding(**finding) for finding in document["findings"]],
        stream_file=None if stream_file is None else project.root / stream_file,
        timeline=[Second(*row) for row in document.get("timeline", [])],
        # What a run of version 1 lacks keeps its default.
        **{name: document[name] for name in _AS_THEY_ARE if name in document},
    )


def _origin(document: Mapping[str, Any] | None) -> Origin | None:
    return None if document is None else Origin(**{**document, "started_at": _moment(document["started_at"])})


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return moment


def _phase_document(phase: PhaseResult) -> Document:
    return {
        "number": phase.number,
        "name": phase.name,
        "virtual_users": phase.virtual_users,
        "arrival_rate_per_s": phase.arrival_rate_per_s,
        "begin_ns": phase.begin_ns,
        "end_ns": phase.end_ns,
        "measured": _measured_document(phase.measured),
    }


def _phase(document: Document) -> PhaseResult:
    return PhaseResult(
        number=document["number"],
        name=document["name"],
        virtual_users=document["virtual_users"],
        begin_ns=document["begin_ns"],
        end_ns=document["end_ns"],
        measured=_measured(document["measured"]),
        arrival_rate_per_s=document.get("arrival_rate_per_s"),
    )


def _measured_document(measured: Measured) -> Document:
    return {
        "throughput_per_s": measured.throughput_per_s,
        "error_rate": measured.error_rate,
        **asdict(measured),
    }


def _measured(document: Document) -> Measured:
    return Measured(
        duration_s=document["duration_s"],
        requests=document["requests"],
        ok=document["ok"],
        failed=document["failed"],
        operations=document["operations"],
        unsent=document["unsent"],
        errors=document["errors"],
        bytes_sent=document["bytes_sent"],
        bytes_received=document["bytes_received"],
        latency=_latency(document["latency"]),
        histogram=document["histogram"],
        costs={role: Cost(**cost) for role, cost in document["costs"].items()},
    )


def _latency(document: Document) -> Latency:
    percentiles = {float(percentile): value for percentile, value in document["percentiles_ms"].items()}
    return Latency(**{**document, "percentiles_ms": percentiles})


def _laid_out(value: object, indent: str) -> str:
    deeper = f"{indent}  "
    if isinstance(value, Mapping) and value:
        members = (
            f"{deeper}{json.dumps(str(name), ensure_ascii=False)}: {_laid_out(member, deeper)}"
            for name, member in value.items()
        )
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, Sequence) and any(isinstance(item, list | tuple | Mapping) for item in value):
        return "[\n" + ",\n".join(f"{deeper}{_laid_out(item, deeper)}" for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
