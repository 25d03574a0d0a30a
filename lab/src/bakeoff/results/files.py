"""Result files of a run: JSON with everything, text for people, CSV of CPU and memory over time."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

from rich.console import Console

from bakeoff.project import Project
from bakeoff.results.table import run_details
from bakeoff.running.result import Measured, RunResult, file_stem


def write_result_files(project: Project, run: RunResult) -> Path:
    """Writes `results/<target>/<time>-<mode>-<payload>.json`, `.txt` and `-metrics.csv`; returns the JSON's path.

    Each appears whole or not at all.
    """
    folder = project.results / run.target
    folder.mkdir(parents=True, exist_ok=True)
    stem = file_stem(run.started_at, run.mode, run.payload)
    document = json.dumps(_document(run, project), indent=2, ensure_ascii=False, default=_plain) + "\n"
    _write(folder / f"{stem}.json", document)
    _write(folder / f"{stem}.txt", _text(run))
    _write_samples(folder / f"{stem}-metrics.csv", run)
    return folder / f"{stem}.json"


def _document(run: RunResult, project: Project) -> Mapping[str, Any]:
    document = asdict(run)
    # The samples stand in the CSV beside it.
    del document["samples"]
    if run.stream_file is not None:
        document["stream_file"] = project.relative(run.stream_file)
    if run.total is not None:
        document["total"] |= _derived(run.total)
    for entry, phase in zip(document["phases"], run.phases, strict=True):
        entry["measured"] |= _derived(phase.measured)
    return document


def _derived(measured: Measured) -> dict[str, float]:
    return {"throughput_per_s": measured.throughput_per_s, "error_rate": measured.error_rate}


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _text(run: RunResult) -> str:
    console = Console(width=110, record=True, file=io.StringIO(), color_system=None)
    console.print(run_details(run))
    return console.export_text()


def _write_samples(path: Path, run: RunResult) -> None:
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["sampled_at", "role", "cpu_s", "memory_mb"])
        for sample in run.samples:
            moment = datetime.fromtimestamp(sample.time_unix_ns / 1e9, UTC).isoformat()
            rows.writerow([moment, sample.role, f"{sample.cpu_s:.2f}", f"{sample.memory_bytes / 1e6:.1f}"])
    partial.rename(path)


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, "utf-8")
    partial.rename(path)
