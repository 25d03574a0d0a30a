"""After the phases: does the database hold every acknowledged write?"""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import msgspec

from bakeoff.documents import first_problem
from bakeoff.engines.manifest import Engine
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.results.audit import Audit
from bakeoff.workload.loader import Workload

_CLEAN, _VIOLATED = 0, 1
_PATIENCE_S = 600.0


def audit_run(engine: Engine, workload: Workload, server: Server, plan: Path, ledger: Path) -> Audit | None:
    """The engine's verdict on what is stored, with `clean` added to it; None for a workload without an audit query.

    Raises BakeoffError when the audit itself could not be made: such a run is not to be believed either.
    """
    audit_sql = workload.file("audit")
    if audit_sql is None:
        return None
    command = engine.audit_command(plan, ledger, audit_sql)
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "DATABASE_URL": server.url},
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BakeoffError(f"The audit failed: {error}.") from error
    if done.returncode not in (_CLEAN, _VIOLATED):
        raise BakeoffError(f"The audit failed (status {done.returncode}): {done.stderr.strip()}")
    try:
        document = json.loads(done.stdout)
    except ValueError as error:
        raise BakeoffError(f"The audit's verdict is not JSON: {done.stdout[:200]!r}.") from error
    problem = first_problem(document, workload.directory.parent / "schemas" / "verdict.schema.json")
    if problem:
        raise BakeoffError(f"The audit's verdict does not match its schema: {problem}.")
    return replace(msgspec.convert(document, Audit), clean=done.returncode == _CLEAN)
