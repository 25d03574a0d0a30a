"""Writes the result files of a run: JSON with everything, text for people, CSV of CPU and memory over time."""

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

from bakeoff.documents.whole_file import write_whole
from bakeoff.judging.usage_at_peak import described_bottleneck
from bakeoff.project import Project
from bakeoff.reporting.run_table import run_details
from bakeoff.results.document import Origin, document_of
from bakeoff.results.document import text_of as json_of
from bakeoff.results.run import RunResult, file_stem
from bakeoff.text.table import text_of


def write_result_files(project: Project, run: RunResult, origin: Origin) -> Path:
    """Writes `<target>/<time>-<mode>-<payload>.json`, `.txt` and `-metrics.csv`; returns the JSON's path.

    Each appears whole or not at all. `origin` is the comparison that the run belongs to.
    """
    folder = project.results / run.target
    stem = file_stem(run.started_at, run.mode, run.payload)
    document = document_of(run, project, described_bottleneck(run), origin)
    write_whole(folder / f"{stem}.json", json_of(document).encode())
    write_whole(folder / f"{stem}.txt", f"{text_of(*run_details(run))}\n".encode())
    write_whole(folder / f"{stem}-metrics.csv", _samples_csv(run).encode())
    return folder / f"{stem}.json"


def _samples_csv(run: RunResult) -> str:
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(["sampled_at", "role", "cpu_s", "memory_mb", "pss_mb"])
    for sample in run.samples:
        moment = datetime.fromtimestamp(sample.time_unix_ns / 1e9, UTC).isoformat()
        # Proportional memory is not asked for in every sample.
        pss_mb = "" if sample.pss_bytes is None else f"{sample.pss_bytes / 1e6:.1f}"
        rows.writerow([moment, sample.role, f"{sample.cpu_s:.2f}", f"{sample.memory_bytes / 1e6:.1f}", pss_mb])
    return text.getvalue()
