"""Audits every acknowledged write after the phases, in the database or by the target's own reads."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from bakeoff.documents.checked import first_problem
from bakeoff.engines.manifest import Engine
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server, url_at
from bakeoff.processes import children
from bakeoff.processes.launching import PROCESSES, Launcher, Program, own_user
from bakeoff.project import FORMATS
from bakeoff.results.audit import Audit
from bakeoff.workload.loader import Workload

_CLEAN, _VIOLATED = 0, 1
_TIMEOUT_S = 600.0
_ENDS_WITHIN_S = 10.0
# Entities that are read back at most: of more, a random sample. One lost in a thousand is found as good as surely.
MOST_READ_BACK = 50_000


def audit_run(
    engine: Engine, workload: Workload, server: Server, plan: Path, ledger: Path, launcher: Launcher = PROCESSES
) -> Audit | None:
    """The engine's verdict on what is stored, with `clean` added to it; None for a workload without an audit query.

    Raises BakeoffError when the audit itself could not be made: such a run is not to be believed either.
    """
    audit_sql = workload.file("audit")
    if audit_sql is None:
        return None
    environment = {"DATABASE_URL": url_at(server.url, launcher.address)}
    return _verdict(launcher, engine, engine.audit_command(plan, ledger, audit_sql), environment, plan, workload)


def read_back(
    engine: Engine, workload: Workload, plan: Path, ledger: Path, launcher: Launcher = PROCESSES
) -> Audit | None:
    """The engine's verdict on what the target shows; None for a workload without `read_back`. Raises BakeoffError."""
    operations = workload.declared.reads_back
    if not operations or not engine.can_read_back:
        return None
    command = engine.read_back_command(plan, ledger, operations, MOST_READ_BACK)
    return replace(_verdict(launcher, engine, command, {}, plan, workload), through=", ".join(operations))


def _verdict(
    launcher: Launcher,
    engine: Engine,
    command: Sequence[str],
    environment: Mapping[str, str],
    plan: Path,
    workload: Workload,
) -> Audit:
    image, own = engine.in_container
    program = Program(
        role="audit",
        command=command,
        log=plan.with_name("audit.log"),
        environment=environment,
        inherited={name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
        stdout=subprocess.PIPE,
        image=image,
        folders=[plan.parent],
        reads=[workload.directory.parent, *own],
        user=own_user(),
    )
    try:
        process = launcher.start(program)
        try:
            output, _ = process.communicate(timeout=_TIMEOUT_S)
        finally:
            launcher.end(process, signal.SIGKILL, _ENDS_WITHIN_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BakeoffError(f"The audit failed: {error}.") from error
    if process.returncode not in (_CLEAN, _VIOLATED):
        last_lines = children.last_lines(program.log).strip()
        raise BakeoffError(f"The audit failed (status {process.returncode}): {last_lines}")
    try:
        document = json.loads(output)
    except ValueError as error:
        raise BakeoffError(f"The audit's verdict is not JSON: {output[:200]!r}.") from error
    problem = first_problem(document, FORMATS / "verdict.schema.json")
    if problem:
        raise BakeoffError(f"The audit's verdict does not match its schema: {problem}.")
    return replace(msgspec.convert(document, Audit), clean=process.returncode == _CLEAN)
