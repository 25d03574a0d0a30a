"""A run as a JSON document, and back: the members of RunResult, in a versioned form."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.results.run import Measured, Moment, Number, RunResult

VERSION = 1

_Object = dict[str, Json]


@dataclass(frozen=True)
class Origin:
    """The comparison that a run belongs to; `started_at` and `command` distinguish it from others.

    `scale` is the factor whose levels are counts that a curve is fitted along, or empty.
    """

    started_at: Moment
    name: str
    workload: str
    mode: str
    command: str
    rounds: Number
    scale: str = ""


@dataclass(frozen=True)
class StoredDocument:
    """A run and the comparison that it belongs to."""

    run: RunResult
    origin: Origin


class _File(msgspec.Struct):
    """The members of a file that show whether it has one run, or several."""

    version: int
    runs: list[msgspec.Raw] | None = None


class _Belonging(msgspec.Struct):
    comparison: Origin


def document_of(run: RunResult, project: Project, bottleneck: Mapping[str, str] | None, origin: Origin) -> _Object:
    """The document of a run.

    Throughput, error rate and `bottleneck` follow from the rest, and reading the document back leaves them out.
    """

    def path_in_checkout(path: Path) -> str:
        return project.relative(path)

    members = msgspec.to_builtins(run, enc_hook=path_in_checkout)
    return {
        "version": VERSION,
        "comparison": msgspec.to_builtins(origin),
        **members,
        "bottleneck": None if bottleneck is None else dict(bottleneck),
        "total": None if run.total is None else _with_rates(run.total, members["total"]),
        "phases": [
            {**written, "measured": _with_rates(phase.measured, written["measured"])}
            for phase, written in zip(run.phases, members["phases"], strict=True)
        ],
    }


def text_of(document: Json) -> str:
    """JSON for people and programs: one member a line, and rows of figures kept on one."""
    return _laid_out(document, "") + "\n"


def read_documents(text: str, source: str, project: Project) -> list[StoredDocument]:
    """The runs of a document: of one run, or of several (`{"version": …, "runs": […]}`).

    A text that is no whole document of this version is a BakeoffError that names `source`.
    """
    try:
        file = msgspec.json.decode(text, type=_File)
        if file.version != VERSION:
            raise BakeoffError(
                f"{source} is of version {file.version}; this bakeoff reads version {VERSION}. Read it with the "
                "bakeoff that wrote it, or measure again."
            )
        return [_read(part, project) for part in ([msgspec.Raw(text)] if file.runs is None else file.runs)]
    except (msgspec.ValidationError, ValueError) as error:
        if isinstance(error, msgspec.ValidationError) or not isinstance(error, msgspec.DecodeError):
            raise BakeoffError(f"{source} is not a run result: {error}.") from error
        raise BakeoffError(f"{source} is truncated or not JSON: {error}.") from error


def _read(text: msgspec.Raw, project: Project) -> StoredDocument:
    def path_below_checkout(kind: type, written: str) -> object:
        return project.root / written if kind is Path else written

    run = msgspec.json.decode(text, type=RunResult, dec_hook=path_below_checkout)
    return StoredDocument(run, msgspec.json.decode(text, type=_Belonging).comparison)


def _with_rates(measured: Measured, written: Mapping[str, Any]) -> _Object:  # as the library writes a record
    """With what follows from the rest, which people look for; reading the document back leaves it out."""
    own = {
        "throughput_per_s": measured.throughput_per_s,
        "error_rate": measured.error_rate,
        "sent_bytes_per_s": measured.sent_bytes_per_s,
        "received_bytes_per_s": measured.received_bytes_per_s,
        "statuses": measured.statuses,
    }
    operations = {
        name: {
            "throughput_per_s": measured.operation_throughput_per_s(name),
            "error_rate": each.error_rate,
            **written["by_operation"][name],
        }
        for name, each in measured.by_operation.items()
    }
    return {**own, **written, "by_operation": operations}


def _laid_out(value: Json, indent: str) -> str:
    deeper = f"{indent}  "
    if isinstance(value, Mapping) and value:
        members = (
            f"{deeper}{json.dumps(str(name), ensure_ascii=False)}: {_laid_out(member, deeper)}"
            for name, member in value.items()
        )
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list | tuple) and any(isinstance(item, list | tuple | Mapping) for item in value):
        return "[\n" + ",\n".join(f"{deeper}{_laid_out(item, deeper)}" for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
