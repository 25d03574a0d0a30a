"""`bakeoff test-run`."""

import sys
from pathlib import Path

import msgspec
import typer

from bakeoff.containers.k6_operator import as_yaml, manifests_of
from bakeoff.documents.checked import first_problem
from bakeoff.engines.manifest import find_engine
from bakeoff.errors import UsageError
from bakeoff.project import find_project


def print_test_run(plan_file: str, parallelism: int, engine: str) -> None:
    """Prints the manifests of a TestRun that sends what a plan says."""
    project = find_project()
    found = find_engine(project, engine)
    plan = _checked_plan(plan_file, project.contract / "schemas" / "plan.schema.json")
    typer.echo(as_yaml(manifests_of(project, found, plan, parallelism)), nl=False)


def _checked_plan(plan_file: str, schema: Path) -> bytes:
    try:
        document = sys.stdin.buffer.read() if plan_file == "-" else Path(plan_file).read_bytes()
        problem = first_problem(msgspec.json.decode(document), schema)
    except OSError as error:
        raise UsageError(f"{plan_file} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        problem = str(error)
    if problem is not None:
        raise UsageError(f"{plan_file} is no plan: {problem}. Make one with ./bakeoff plan quick --engine k6 …")
    return document
