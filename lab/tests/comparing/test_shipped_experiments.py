"""The contenders of every shipped experiment, and what their runs' records and plans say, stay as they are."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from as_json import as_json
from bakeoff.comparing.contenders import contenders_of
from bakeoff.comparing.experiment import read_experiment
from bakeoff.engines.manifest import find_engine
from bakeoff.project import Project
from bakeoff.running.run_request import RunRequest
from bakeoff.targets.access import access_of
from bakeoff.workload.loader import load_workload
from made_up_manifests import RUN, target

# All factors are possible with these targets.
READING = msgspec.structs.replace(RUN, read_url_variable="DATABASE_READ_URL")
EXPECTED = json.loads(Path(__file__).with_name("shipped_experiments.json").read_text("utf-8"))


def test_every_shipped_experiment_is_expected_here(gallery: Project) -> None:
    names = {name.partition(": ")[0] for name in EXPECTED}
    assert {path.name for path in (gallery.root / "experiments").glob("*.toml")} == names


@pytest.mark.parametrize("name", EXPECTED)
def test_its_contenders_are_the_same(gallery: Project, name: str) -> None:
    file, _, scenario = name.partition(": ")
    request = replace(read_experiment(gallery.root / "experiments" / file)[scenario], seed=1)
    engines = {each: find_engine(each) for each in ("native", "k6")}
    workload = request.workload or "events"
    workloads = {workload: load_workload(gallery, workload)}
    has_grpc = any(operation.grpc for operation in workloads[workload].declared.operations)
    protocols = {"a-rest": "rest", **({"b-grpc": "grpc"} if has_grpc else {})}
    targets = [target(each, protocol, workload, run=READING) for each, protocol in protocols.items()]
    contenders, _ = contenders_of(targets, request.variants(), workloads, engines)
    found = []
    for contender in contenders:
        run = RunRequest(contender, request.mode, request.phases, settling=request.settling, options=request)
        plan = as_json(run.plan(access_of("http://127.0.0.1:8081"), None))
        transport = plan["transport"]
        found.append(
            {
                "contender": contender.key,
                "settings": run.settings,
                "transport": {
                    each: transport[each] for each in ("protocol", "connections", "batch", "stream", "window")
                },
                "payload": plan["payload"],
                "think_time_ms": plan["think_time_ms"],
                "phases": [
                    [phase["name"], phase["virtual_users"], phase.get("duration_ms") or phase["iterations"]]
                    for phase in plan["phases"]
                ],
            }
        )
    assert sorted(found, key=lambda each: each["contender"]) == EXPECTED[name]
