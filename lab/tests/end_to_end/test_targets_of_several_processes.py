"""Targets that consist of several processes: each conforms, and a run records what each process used."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from bakeoff_process import bakeoff
from metrics_databases import metrics
from running_targets import target_named

from bakeoff.comparing.preparation import required_profile
from bakeoff.conformance.runner import run_conformance
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.targets.health import health_check
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import load_workload
from build_once import built_client
from checkouts import gallery_targets

pytestmark = pytest.mark.end_to_end

SEVERAL = [target for target in gallery_targets() if target.manifest.run.companions]
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


def recorded_runtime(name: str, folder: Path) -> dict[str, Path]:
    """Variables for a target that needs an installation where there is none: a folder with recorded answers."""
    (target,) = [target for target in SEVERAL if target.name == name]
    script = target.directory / "recorded" / "home.sh"
    unset = [variable for variable in target.manifest.toolchain.requires_env if not os.environ.get(variable)]
    if not unset or not script.exists():
        return {}
    subprocess.run([script, folder / "home"], check=True)
    return dict.fromkeys(unset, folder / "home")


@pytest.mark.parametrize("name", [target.name for target in SEVERAL])
def test_it_conforms(project: Project, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, folder in recorded_runtime(name, tmp_path).items():
        monkeypatch.setenv(variable, str(folder))
    target = target_named(project, name)
    workload = load_workload(project, target.workload)
    check = health_check(workload, target.protocol, built_client())
    with TargetProcess(target, None, check, tmp_path / "log.txt") as process:
        result = run_conformance(workload, target.protocol, process.access, None)
    profile = required_profile(target)
    assert [(failure.case, failure.breaks(profile)) for failure in result.failures_in(profile)] == []
    assert result.conforms(profile)


def test_the_gauges_of_each_process_are_recorded_and_shown(project: Project, database: Server, results: Path) -> None:
    showing = [each for each in SEVERAL if each.manifest.run.gauges and not each.missing]
    if not showing:
        pytest.skip("no target of several processes that shows gauges can be built here")
    target, environment = showing[0], metrics(database)
    arguments = ("run", "quick", "--target", target.name, "--users", "16", "--phase-duration", "2s", "--warm-up", "0s")
    done = bakeoff(project, *arguments, results=results, environment=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = (results / target.name).glob("*-quick-default.json")
    run = json.loads(file.read_text("utf-8"))
    assert "gauges-unread" not in {finding["kind"] for finding in run["findings"]}
    assert target.manifest.run.gauges is not None
    gauges = run["phases"][0]["measured"]["gauges"]
    declared = {each.label: each.unit for each in target.manifest.run.gauges.names.values()}
    assert {label: gauge["unit"] for label, gauge in gauges.items()} == declared
    assert all(gauge["readings"] >= 2 and 0 <= gauge["mean"] <= gauge["maximum"] for gauge in gauges.values())
    # Of sixteen users nearly always one has a request in flight, and there are never more requests than users.
    assert 0 < max(gauge["maximum"] for gauge in gauges.values()) <= 16
    shown = bakeoff(project, "runs", "show", "latest", results=results, environment=environment).stdout
    assert all(label in shown for label in declared)


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
