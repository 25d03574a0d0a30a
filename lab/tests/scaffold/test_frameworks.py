"""Descriptions that frameworks make of small services: the service refuses no request of the import.

The descriptions are kept beside the services, with the versions that made them. BAKEOFF_KEEP=1 writes them again:
    BAKEOFF_KEEP=1 pytest -m end_to_end tests/scaffold/test_frameworks.py
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.processes import children, ports
from bakeoff.project import PROJECT_VARIABLE, Project, own_checkout
from bakeoff.scaffold.description_files import description_of

SERVICES = Path(__file__).parents[1] / "projects" / "frameworks"
_START_S = 120.0
_BUILD_S = 600


@dataclass(frozen=True)
class Framework:
    """A service: the programs that it needs, the command that builds it in a copy, and the one that starts it."""

    name: str
    shown_at: str
    run: Sequence[str]
    build: Sequence[str] = ()
    needs: Sequence[str] = ()
    operations: int = 0


FRAMEWORKS = [
    Framework(
        "fastapi",
        "openapi.json",
        [sys.executable, "-m", "uvicorn", "--factory", "fastapi_service:service", "--port={port}", "--app-dir={tests}"],
        operations=12,
    ),
    Framework(
        "django",
        "api/schema/?format=json",
        ["{uv}", "run", "--script", "--locked", "library_service.py"],
        operations=15,
    ),
    Framework("huma", "openapi.json", ["./notes"], ["go", "build", "-o", "notes", "."], needs=["go"], operations=7),
    Framework(
        "nestjs",
        "openapi.json",
        ["node", "dist/main.js"],
        ["sh", "-ec", "npm ci --prefer-offline --no-audit --no-fund --silent; npx tsc"],
        needs=["node", "npm"],
        operations=9,
    ),
    Framework(
        "springdoc",
        "v3/api-docs",
        ["java", "-jar", "target/orders.jar"],
        ["mvn", "-q", "--batch-mode", "package"],
        needs=["java", "mvn"],
        operations=8,
    ),
]
# Their packages are many, and are installed for minutes: their descriptions are imported each time.
_LONG = ("nestjs", "springdoc")
CASES = [
    pytest.param(each, id=each.name, marks=[pytest.mark.exhaustive] if each.name in _LONG else [])
    for each in FRAMEWORKS
]


def _uv() -> str:
    own = own_checkout().state / "uv" / "bin" / "uv"
    found = str(own) if own.exists() else shutil.which("uv")
    if found is None:
        pytest.skip("uv is neither in .bakeoff nor on PATH")
    return found


@contextmanager
def running(framework: Framework, folder: Path) -> Iterator[str]:
    """The service, built in a copy; gives its address."""
    missing = [each for each in framework.needs if shutil.which(each) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not found")
    copy = folder / framework.name
    shutil.copytree(SERVICES / framework.name, copy)
    if framework.build:
        done = subprocess.run(framework.build, cwd=copy, capture_output=True, text=True, timeout=_BUILD_S, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    port = ports.free_port()
    uv = _uv() if "{uv}" in framework.run else ""
    command = [each.format(port=port, uv=uv, tests=Path(__file__).parents[1]) for each in framework.run]
    log = folder / f"{framework.name}.log"
    environment = {**os.environ, "PORT": str(port), "FOLDER": str(folder)}
    process = children.start(command, directory=copy, environment=environment, log=log)
    try:
        children.wait_until_listening(process, port, log, timeout_s=_START_S)
        yield f"http://127.0.0.1:{port}"
    finally:
        children.stop(process, signal.SIGTERM, timeout_s=10)


def shown(url: str) -> Any:
    """A description without the address at which it was shown."""
    with urllib.request.urlopen(url, timeout=60) as reply:  # noqa: S310 - the service of the test
        document = json.loads(reply.read())
    return {name: value for name, value in document.items() if name != "servers"}


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=[each.name for each in FRAMEWORKS])
def test_what_a_framework_describes_is_imported_whole(framework: Framework, tmp_path: Path) -> None:
    source = description_of(tmp_path, str(SERVICES / framework.name / "openapi.json"), None, None, [])

    assert source is not None
    assert (source.api.left_out, source.api.faults) == ([], [])
    assert len(source.api.operations) == framework.operations
    # What is made up may not exist, and what needs a person is not sent as it is.
    assert [line for line in source.api.advice if "made up" in line or "replace-me" in line] == []


@pytest.mark.end_to_end
@pytest.mark.parametrize("framework", CASES)
def test_the_service_refuses_no_request(
    measuring_checkout: Project, monkeypatch: pytest.MonkeyPatch, framework: Framework, tmp_path: Path
) -> None:
    root = measuring_checkout.root
    measuring_checkout.file.unlink()
    monkeypatch.chdir(root)
    monkeypatch.delenv(PROJECT_VARIABLE)
    kept = SERVICES / framework.name / "openapi.json"

    with running(framework, tmp_path) as url:
        document = shown(f"{url}/{framework.shown_at}")
        if os.environ.get("BAKEOFF_KEEP"):
            kept.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
        make_project(InitOptions(["api"], openapi=f"{url}/{framework.shown_at}"))
        request = ComparisonRequest(
            "quick", "a test", users=[2], phase_duration_s=2, warm_up_s=0, attached={"api": url}
        )
        comparison = compare(measuring_checkout, request, PlainProgress(Console(quiet=True)))

    assert document == json.loads(kept.read_text("utf-8")), "write it again: see above"
    assert comparison.not_measured == {}
    (run,) = comparison.runs
    assert run.total is not None
    assert (run.total.failed, run.total.errors) == (0, {})
