"""`bakeoff run`."""

import re
from collections.abc import Sequence
from dataclasses import replace

import typer
from rich.console import Console

from bakeoff.errors import UsageError
from bakeoff.project import find_project
from bakeoff.results.table import comparison_table
from bakeoff.running.comparison import Comparison, ComparisonRequest, compare
from bakeoff.running.progress import shown_on
from bakeoff.running.result import RunResult

_UNITS_S = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def run_comparison(request: ComparisonRequest, phase_duration: str | None) -> None:
    """Measures, then prints the table. Exit status 0 when every target that could be built was measured."""
    project = find_project()
    if phase_duration is not None:
        request = replace(request, phase_duration_s=seconds_of(phase_duration))
    with shown_on(Console(stderr=True)) as progress:
        comparison = compare(project, request, progress)
    _print(comparison)
    if comparison.interrupted:
        raise KeyboardInterrupt
    if comparison.failed or not comparison.runs:
        raise typer.Exit(1)


def seconds_of(text: str) -> float:
    """Seconds of a duration such as `10s`, `500ms`, `2m` or `90`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|)", text.strip())
    seconds = float(match.group(1)) * _UNITS_S[match.group(2)] if match else 0.0
    if seconds < 0.1:
        raise UsageError(f'"{text}" is not a duration: write 500ms, 10s or 2m, and at least 100ms.')
    return seconds


def settings_of(write_mode: str | None, assignments: Sequence[str]) -> dict[str, str]:
    """Settings of the target by their names, from --write-mode and each --set."""
    settings = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not (name and equals and value):
            raise UsageError(f'--set is "{assignment}": write name=value, such as pool_size=20.')
        settings[name] = value
    if write_mode not in (None, "group-commit", "per-request"):
        raise UsageError(f'--write-mode is "{write_mode}": use group-commit or per-request.')
    return settings if write_mode is None else {**settings, "write_mode": write_mode}


def users_of(text: str | None) -> list[int]:
    """Numbers of virtual users, from a list with commas."""
    if text is None:
        return []
    counts = [int(part) if part.strip().isdecimal() else 0 for part in text.split(",")]
    if not all(1 <= count <= 100_000 for count in counts):
        raise UsageError(f'--users is "{text}": write numbers from 1 to 100,000 with commas, such as 64,256.')
    return counts


def _grouped_findings(runs: Sequence[RunResult]) -> dict[str, list[str]]:
    """What was found → the targets it was found of: what holds for all is said once."""
    grouped: dict[str, list[str]] = {}
    for run in runs:
        for finding in run.findings:
            grouped.setdefault(f"{finding.message} {finding.advice}", []).append(run.target)
    return grouped


def _print(comparison: Comparison) -> None:
    console = Console()
    if comparison.runs:
        console.print()
        console.print(comparison_table(comparison.runs))
    for words, names in _grouped_findings(comparison.runs).items():
        console.print(f"{', '.join(names)}: {words}", markup=False, highlight=False)
    if comparison.not_measured:
        console.print("Not measured:", highlight=False)
        for reason in comparison.not_measured.values():
            console.print(f"  {reason}", markup=False, highlight=False)
    if comparison.runs:
        console.print("Files of each run: results/<target>/", markup=False, highlight=False)
