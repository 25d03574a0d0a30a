"""Targets that consist of several processes: each conforms, and a run records what each process used."""

import json
from pathlib import Path

import pytest
from bakeoff_process import bakeoff
from metrics_databases import metrics
from running_targets import target_named

from bakeoff.comparing.preparation import required_profile
from bakeoff.conformance.runner import run_conformance
from bakeoff.postgres.server import Server
from bakeoff.project import Project, find_project
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import load_workload

pytestmark = pytest.mark.end_to_end
pytest_plugins = ["shared_server"]

SEVERAL = [target for target in find_targets(find_project()) if target.manifest.run.companions]
EXPERIMENT = """\
version = 1
name = "two-scenarios"
question = "Are both measured?"
mode = "count"
requests = 300
targets = ["{target}"]
warm_up = "0s"

[[scenarios]]
name = "few users"
users = [2]

[[scenarios]]
name = "more users"
users = [6]
"""


@pytest.mark.parametrize("name", [target.name for target in SEVERAL])
def test_it_conforms(project: Project, tmp_path: Path, name: str) -> None:
    target = target_named(project, name)
    workload = load_workload(project, target.workload)
    check = health_check(workload, target.protocol)
    with TargetProcess(target, None, check, tmp_path / "log.txt") as process:
        result = run_conformance(workload, target.protocol, process.access, None)
    profile = required_profile(target)
    assert [(failure.case, failure.breaks(profile)) for failure in result.failures_in(profile)] == []
    assert result.conforms(profile)


def test_scenarios_stand_in_one_table_and_each_process_in_the_record(
    project: Project, database: Server, results: Path, tmp_path: Path
) -> None:
    target = next((each for each in SEVERAL if not each.missing), None)
    if target is None:
        pytest.skip("no target of several processes can be built here")
    file = tmp_path / "two-scenarios.toml"
    file.write_text(EXPERIMENT.format(target=target.name))
    done = bakeoff(project, "run", str(file), results=results, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    for scenario, users in (("few users", 2), ("more users", 6)):
        (summary, latency) = [line for line in lines if line.startswith(scenario)]
        assert summary.startswith(f"{scenario} 300 {users} ")
        assert summary.endswith(" 100%")
        assert len(latency.split()) == len(scenario.split()) + 10
    documents = [json.loads(path.read_text()) for path in (results / target.name).glob("*-count-default.json")]
    assert len(documents) == 2
    companions = {companion.name for companion in target.manifest.run.companions}
    for document in documents:
        processes = document["total"]["processes"]
        assert {name.rsplit(" ", 1)[0] for name in processes} == companions | {target.name}
        assert all(process["memory_peak_bytes"] > 0 for process in processes.values())
