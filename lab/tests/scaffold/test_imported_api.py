"""A small API of one's own, from its OpenAPI document to a measured run; what it does wrong is found and named."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.descriptions.openapi_import import import_openapi
from bakeoff.processes import ports
from bakeoff.project import PROJECT_VARIABLE, Project
from bakeoff.results.run import Status
from bakeoff.scaffold.import_files import imported_scaffold, write_import

pytestmark = pytest.mark.end_to_end

HERE = Path(__file__).parent
OPENAPI = HERE.parent / "descriptions" / "users.openapi.yaml"


@pytest.fixture
def checkout(measuring_checkout: Project) -> Project:
    """A checkout that has the imported workload."""
    api = import_openapi(OPENAPI)
    write_import(measuring_checkout, imported_scaffold("users", api, None), api, OPENAPI)
    return measuring_checkout


@contextmanager
def running(fault: str) -> Iterator[int]:
    """The API with a fault planted; gives its port."""
    port = ports.free_port()
    environment = {**os.environ, "PORT": str(port), "FAULT": fault}
    with subprocess.Popen([sys.executable, str(HERE / "users_api.py")], env=environment) as api:
        try:
            yield port
        finally:
            api.send_signal(signal.SIGTERM)


QUICK = ComparisonRequest("quick", "a test", users=[8], phase_duration_s=2, warm_up_s=0)


def measured(checkout: Project, fault: str, request: ComparisonRequest = QUICK) -> Comparison:
    with running(fault) as port:
        request = replace(request, attached={"users-rest": f"http://127.0.0.1:{port}"})
        return compare(checkout, request, PlainProgress(Console(quiet=True)))


def without_vectors(checkout: Project) -> None:
    """Leaves the case of health alone, so that faults meet the load."""
    (file,) = (checkout.root / "contract" / "users" / "vectors").glob("*.json")
    document = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**document, "cases": document["cases"][:1]}), "utf-8")


def test_an_imported_api_is_measured_as_it_is(checkout: Project) -> None:
    comparison = measured(checkout, "")

    assert comparison.not_measured == {}
    (run,) = comparison.runs
    assert run.total is not None
    assert (run.workload, run.total.failed) == ("users", 0)
    assert run.total.requests > 100


def test_a_repository_is_measured_by_the_file_that_init_writes(
    measuring_checkout: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = measuring_checkout.root
    measuring_checkout.file.unlink()
    (root / "Procfile").write_text(f"web: {shlex.quote(sys.executable)} users_api.py\n", "utf-8")
    for source in (HERE / "users_api.py", OPENAPI):
        (root / source.name.replace("users.openapi", "openapi")).write_bytes(source.read_bytes())
    monkeypatch.chdir(root)
    monkeypatch.delenv(PROJECT_VARIABLE)

    make_project(InitOptions(["users"]))
    comparison = compare(measuring_checkout, QUICK, PlainProgress(Console(quiet=True)))

    assert comparison.not_measured == {}
    (run,) = comparison.runs
    assert run.total is not None
    assert (run.target, run.total.failed) == ("users", 0)


@pytest.mark.parametrize("fault", ["wrong-read", "lost-write"])
def test_wrong_reads_and_lost_writes_fail_conformance(checkout: Project, fault: str) -> None:
    comparison = measured(checkout, fault)

    assert comparison.runs == []
    assert "life-of-user" in comparison.not_measured["users-rest"]


@pytest.mark.parametrize("fault", ["wrong-read", "lost-write"])
def test_wrong_reads_and_lost_writes_are_found_under_load(checkout: Project, fault: str) -> None:
    without_vectors(checkout)

    comparison = measured(checkout, fault)

    errors = {
        kind: count for run in comparison.runs if run.total is not None for kind, count in run.total.errors.items()
    }
    assert comparison.failed or errors.get("wrong_read", 0) > 0, (comparison.not_measured, errors)


def test_an_operation_that_always_fails_is_found(checkout: Project) -> None:
    comparison = measured(checkout, "failing-list")

    errors = [run.total.errors for run in comparison.runs if run.total is not None]
    assert comparison.not_measured or any(each.get("status_500", 0) > 0 for each in errors)


def test_a_run_to_saturation_ends_where_too_many_requests_fail(checkout: Project) -> None:
    request = ComparisonRequest("saturation", "a test", phase_duration_s=1, warm_up_s=0)

    comparison = measured(checkout, "overload", request)

    (run,) = comparison.runs
    assert run.status is Status.COMPLETED
    assert 1 <= len(run.phases) < 7
    assert run.phases[-1].measured.error_rate > 0.1
    (finding,) = [finding for finding in run.findings if finding.kind == "stopped-early"]
    assert "Not measured: " in finding.message
    assert finding.message.rstrip(".").endswith("Saturation")
