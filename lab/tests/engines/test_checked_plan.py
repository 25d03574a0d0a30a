"""A plan is checked by the engine that would execute it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.builds.build import Build
from bakeoff.engines.checked_plan import check_plan
from bakeoff.engines.client import client_engine
from bakeoff.engines.manifest import Command, Engine, find_engine
from bakeoff.errors import BakeoffError
from bakeoff.processes.request_client import RequestClient
from bakeoff.project import Project
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import PlannedPhase


def plan(project: Project) -> bytes:
    phase = PlannedPhase(name="one", virtual_users=1, iterations=1)
    load = Load("events", "http", "127.0.0.1", 1, "smoke", phases=[phase])
    return compile_plan(load_workload(project, "events"), load).encoded()


def test_a_good_plan_has_a_sample_of_each_operation(client: RequestClient, project: Project) -> None:
    assert check_plan(client_engine(), plan(project)) == []
    printed = subprocess.run(client_engine().check_command(), input=plan(project), capture_output=True, check=True)
    sample = json.loads(printed.stdout)["samples"][0]
    assert (sample["method"], sample["path"]) == ("POST", "/events")
    assert sample["bytes"] == len(sample["message"].encode())


def test_a_member_that_the_engine_does_not_know_is_a_fault_of_the_whole_plan(
    client: RequestClient, project: Project
) -> None:
    (fault,) = check_plan(client_engine(), plan(project).replace(b'"thresholds"', b'"limits"'))
    assert fault.operation is None and "limits" in fault.message


def test_an_engine_that_prints_no_json_is_named_with_its_words(tmp_path: Path) -> None:
    real = find_engine("native")
    broken = [sys.executable, "-c", "import sys; sys.exit('out of memory')"]
    manifest = real.manifest.__class__(
        protocols=["http"],
        models=[],
        build=real.manifest.build,
        run=real.manifest.run,
        installed=real.manifest.installed,
        check=Command(broken),
    )
    build = Build("engine", tmp_path, (), (), tmp_path, tmp_path, tmp_path / "stamp", tmp_path / "log")
    with pytest.raises(BakeoffError, match="The engine other cannot check the plan: out of memory"):
        check_plan(Engine("other", tmp_path, manifest, build), b"{}")
