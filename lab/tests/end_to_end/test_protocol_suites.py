"""Protocol suites of the public against targets: h2spec, Schemathesis, and probes of HTTP/1.1.

A target is started once for all of its suites. suites/deviations.toml lists the cases that a target does not pass, with
reasons; a listed case that passes is an error.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from http1_probe import outcome, probes
from rich.console import Console
from running_targets import as_exhaustive, target_named

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.hostile.witness import SampleRequests
from bakeoff.options.variant import Variant
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.contender import storage_of
from bakeoff.running.fresh_state import fresh_state
from bakeoff.running.service import at_work
from bakeoff.running.testbed import Testbed
from bakeoff.targets.access import Access
from bakeoff.targets.manifest import STANDARD, TUNED, Target
from bakeoff.workload.loader import Workload, load_workload
from checkouts import gallery_targets

pytestmark = pytest.mark.end_to_end

_SUITES = Path(__file__).parent / "suites"
_DEVIATIONS: Mapping[str, Mapping[str, Mapping[str, str]]] = tomllib.loads(
    (_SUITES / "deviations.toml").read_text("utf-8")
)
_TARGETS = {target.name: target for target in gallery_targets()}
_EXAMPLES = 60
_SEED = 1
_LONGEST_LIST = 500
# Of a case whose outcome is a race: one that the target wins in two tries of three fails all once in 5,000 times.
_TRIES = 20
# In an environment of its own: its requirements and those of the lab exclude each other.
_SCHEMATHESIS = "4.32.5"


# Each request has a key of its own, also where a test is repeated with the same process.
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Running:
    """A target that the suites of one worker share."""

    target: Target
    workload: Workload
    access: Access

    def requests(self) -> SampleRequests:
        return SampleRequests(self.workload, self.target.protocol, self.access)


def _cases(suite: str) -> list[ParameterSet]:
    """Targets that the file names for a suite.

    A library's own protocol is for exhaustive runs where other targets of the workload have one of their own; so are
    stacks.
    """
    cases = []
    for name in _DEVIATIONS[suite] if _TARGETS else ():
        target = _TARGETS[name]
        # REST over HTTP/2 is negotiated inside TLS.
        started = (name, suite == "h2spec" and target.protocol == "rest")
        case = pytest.param(started, id=name, marks=pytest.mark.xdist_group(f"suites of {name}"))
        has_tuned = suite == "h2spec" or (suite == "schemathesis" and target.workload == "events")
        is_library = has_tuned and target.target_class == STANDARD
        cases.append(as_exhaustive(case) if is_library or target.workload == "orders" else case)
    return cases


@pytest.fixture(scope="module")
def running(
    request: pytest.FixtureRequest, project: Project, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A target, over TLS or not, by indirect parametrization."""
    name, tls = request.param
    target = target_named(project, name)
    workload, variant = load_workload(project, target.workload), Variant(tls=tls)
    kind = storage_of(target, workload, variant)
    testbed = Testbed(project, server, PlainProgress(Console(quiet=True))).storing_in(kind)
    log = tmp_path_factory.mktemp(name) / "target.log"
    with (
        fresh_state(testbed, target, workload, variant) as own,
        at_work(own, target, workload, variant, log) as service,
    ):
        yield Running(target, workload, service.access)


def _uv() -> str:
    """The program that the launcher of the clone has installed."""
    installed = Path(__file__).parents[3] / ".bakeoff" / "uv" / "bin" / "uv"
    found = str(installed) if installed.exists() else shutil.which("uv")
    if found is None:
        pytest.skip("uv, which installs Schemathesis, not found")
    return found


def _assert_only_listed(suite: str, target: str, failed: Collection[str]) -> None:
    listed = _DEVIATIONS.get(suite, {}).get(target, {})
    assert sorted(set(failed) - set(listed)) == [], "not passed, and not listed in suites/deviations.toml"
    assert sorted(set(listed) - set(failed) - set(_DEVIATIONS["races"].get(suite, {}))) == [], (
        "listed in suites/deviations.toml, and passed"
    )


def _phases(description: str) -> str:
    """Coverage tries the longest lists that a description allows, which takes minutes where they are very long."""
    longest = max((int(each) for each in re.findall(r"\bmaxItems\W+(\d+)", description)), default=0)
    return "examples,coverage,fuzzing" if longest <= _LONGEST_LIST else "examples,fuzzing"


@pytest.mark.parametrize("running", _cases("schemathesis"), indirect=True)
def test_schemathesis(running: Running, tmp_path: Path) -> None:
    """The first suite of a target: it uses what replies show, so that other rows would change its requests."""
    report, folder, access = tmp_path / "report.json", running.workload.directory, running.access
    description = next(path for path in (folder / "openapi.yaml", folder / "openapi.json") if path.exists())
    command = [
        *(_uv(), "tool", "run", "--from", f"schemathesis=={_SCHEMATHESIS}", "st", "run", str(description)),
        *("--url", f"http://{access.host}:{access.port}", "--max-examples", str(_EXAMPLES), "--seed", str(_SEED)),
        *("--phases", _phases(description.read_text("utf-8")), "--generation-database", "none"),
        *("--no-shrink", "--no-color"),
        *("--report", "json", "--report-json-path", str(report)),
    ]
    hooks = {"PYTHONPATH": str(_SUITES), "SCHEMATHESIS_HOOKS": "schemathesis_hooks"}
    ended = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=300, env={**os.environ, **hooks}
    )
    print(ended.stdout[-20_000:])
    assert report.exists(), ended.stderr
    found = json.loads(report.read_text("utf-8"))
    assert found["complete"] and found["errors"] == []
    failed = {f"{each['title']}: {operation}" for each in found["failures"] for operation in each["operations"]}
    _assert_only_listed("schemathesis", running.target.name, failed)


@pytest.mark.parametrize("running", _cases("http1"), indirect=True)
def test_http1(running: Running) -> None:
    every = probes()
    assert len(every) >= 39
    requests = running.requests()
    failed = {
        f"{probe.name}: {found}"
        for probe in every
        if (found := outcome(probe, requests.make(next(_NUMBERS)), running.access)) not in probe.allowed
    }
    _assert_only_listed("http1", running.target.name, failed)


def _failed_of_h2spec(access: Access, path: str, report: Path, *options: str) -> set[str]:
    command = [
        *("go", "tool", "h2spec", "--host", access.host, "--port", str(access.port)),
        *("--path", path, "--junit-report", str(report), *options),
        *(("--tls", "--insecure") if access.tls is not None else ()),
    ]
    ended = subprocess.run(
        command, cwd=_SUITES, capture_output=True, text=True, errors="replace", timeout=500, check=False
    )
    assert report.exists(), ended.stdout + ended.stderr
    # It quotes bytes of replies that XML cannot have.
    written = re.sub(r"[^\x20-\x7e]", " ", report.read_text("latin-1"))
    cases = list(ET.fromstring(written).iter("testcase"))  # noqa: S314 — h2spec has written it
    assert len(cases) >= (1 if options else 145)
    return {
        f"{case.get('package')} {case.get('classname')}"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    }


@pytest.mark.parametrize("running", _cases("h2spec"), indirect=True)
def test_h2spec(running: Running, tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("go, which installs h2spec, not found")
    name = running.target.name
    # A method that exists: a call of another one is answered before h2spec has broken a rule of HTTP/2.
    path = running.requests().make(next(_NUMBERS)).path
    failed = _failed_of_h2spec(running.access, path, tmp_path / "report.xml")
    # A case fails now and then where h2spec gives up a reply after 2 s, or where the target has answered and closed the
    # stream before the rule is broken: a target's fault fails each time.
    listed = failed & _DEVIATIONS["h2spec"][name].keys()
    unlisted = failed - listed
    for timeout_s in (10, *[2] * _TRIES):
        if sections := sorted({case.split()[0] for case in unlisted}):
            options = ("--timeout", str(timeout_s), *sections)
            unlisted &= _failed_of_h2spec(running.access, path, tmp_path / "again.xml", *options)
    _assert_only_listed("h2spec", name, listed | unlisted)


@pytest.mark.parametrize("suite", ["http1", "schemathesis"])
def test_no_tuned_target_does_worse_than_its_sibling(suite: str) -> None:
    listed = _DEVIATIONS[suite]
    for target in (_TARGETS[name] for name in listed if _TARGETS):
        if target.target_class == TUNED:
            (sibling,) = (
                name
                for name, other in _TARGETS.items()
                if (other.language, other.workload, other.protocol) == (target.language, target.workload, "rest")
                and other.target_class == STANDARD
            )
            assert set(listed[target.name]) <= set(listed[sibling]), f"{target.name} against {sibling}"


@pytest.mark.parametrize("suite", ["http1", "schemathesis"])
def test_every_program_of_a_rest_target_is_tried(suite: str) -> None:
    """Other targets may be one program. A stack of orders adds one page of code to a framework's own HTTP/1.1."""
    left_out = "orders" if suite == "http1" else None
    rest = [each for each in _TARGETS.values() if each.protocol == "rest" and each.workload != left_out]
    tried = {_TARGETS[name].build.artifact for name in _DEVIATIONS[suite] if _TARGETS}
    assert [target.name for target in rest if target.build.artifact not in tried] == []
