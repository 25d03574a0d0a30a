"""A TestRun of k6-operator made from a plan: valid by the published CRD, and its pods send what one k6 would."""

import gzip
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from jsonschema import Draft202012Validator
from k6_harness import DEADLINE_SECONDS, PROJECT, Plan, Record, arrivals, held, iterations, k6_path, plan_for
from k6_servers import http_server
from typer.testing import CliRunner

from bakeoff.cli.app import app
from bakeoff.containers.k6_operator import FOLDER, manifests_of
from bakeoff.engines.manifest import find_engine
from bakeoff.errors import BakeoffError
from bakeoff.project import find_project

CRD = PROJECT / "lab" / "tests" / "deploy" / "k6-operator" / "k6.io_testruns.yaml.gz"
Manifest = dict[str, Any]


def in_pods(protocol: str = "http", *phases: Record, host: str = "10.0.0.5", **changes: Any) -> Plan:
    return plan_for(protocol, 9083, *(phases or [held(4, 1000)]), transport={"host": host}, **changes)


def made(plan: Plan, parallelism: int = 2, engine: str = "k6") -> Sequence[Manifest]:
    project = find_project()
    return manifests_of(project, find_engine(project, engine), json.dumps(plan).encode(), parallelism)


def crd_schema() -> Manifest:
    """Of a TestRun. The API drops unknown members silently, so here they are errors."""
    definition = yaml.safe_load(gzip.decompress(CRD.read_bytes()))
    (version,) = [each for each in definition["spec"]["versions"] if each["name"] == "v1alpha1"]
    schema: Manifest = strict(version["schema"]["openAPIV3Schema"])
    schema["properties"]["metadata"] = {"type": "object"}
    return schema


def strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: strict(each) for name, each in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        closed.setdefault("additionalProperties", False)
    return closed


def problems(run: Manifest) -> list[str]:
    return [error.message for error in Draft202012Validator(crd_schema()).iter_errors(run)]


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_it_keeps_the_schemas_of_its_apis(protocol: str) -> None:
    config, run, policy = made(in_pods(protocol))
    assert problems(run) == []
    for manifest in (config, policy):
        kubernetes_validate.validate(manifest, "1.34", strict=True)


def test_a_misspelled_member_breaks_the_crd() -> None:
    _, run, _ = made(in_pods())
    run["spec"]["runner"]["volumeMount"] = []
    run["spec"]["parallelism"] = "2"
    assert len(problems(run)) == 2


def test_pods_find_scripts_and_plan_where_the_manifest_says(tmp_path: Path) -> None:
    plan = in_pods()
    config, run, policy = made(plan, 3)
    laid_down(config, run, tmp_path)
    spec, runner = run["spec"], run["spec"]["runner"]
    script = tmp_path / Path(spec["script"]["localFile"]).relative_to(FOLDER)
    assert script.read_text() == (PROJECT / "load" / "k6" / "rest-api-test.js").read_text()
    for path in (PROJECT / "load" / "k6" / "lib").glob("*.js"):
        assert (tmp_path / "lib" / path.name).read_text() == path.read_text()
    variables = {each["name"]: each["value"] for each in runner["env"]}
    assert json.loads((tmp_path / Path(variables["BAKEOFF_PLAN"]).relative_to(FOLDER)).read_text()) == plan
    assert (spec["parallelism"], runner["image"]) == (3, "grafana/k6:1.8.1")
    assert {"name": "load", "mountPath": FOLDER} in runner["volumeMounts"]
    name = run["metadata"]["name"]
    assert policy["spec"]["podSelector"]["matchLabels"] == {"app": "k6", "k6_cr": name}
    assert runner["resources"]["requests"] == runner["resources"]["limits"]
    # The version that the engine builds here is the one that pods run.
    assert find_engine(find_project(), "k6").manifest.build.command[-1].endswith("@v1.8.1")


def test_grpc_has_its_services_as_bytes() -> None:
    plan = in_pods("grpc")
    config, run, _ = made(plan)
    assert config["binaryData"] == {"services.protoset": plan["proto"]["descriptor_set"]}
    assert {"name": "BAKEOFF_DESCRIPTOR_SET", "value": f"{FOLDER}/services.protoset"} in run["spec"]["runner"]["env"]


def laid_down(config: Manifest, run: Manifest, folder: Path) -> None:
    """The volume of the ConfigMap as the kubelet makes it."""
    (volume,) = [each["configMap"] for each in run["spec"]["runner"]["volumes"] if "configMap" in each]
    assert volume["name"] == config["metadata"]["name"]
    for item in volume["items"]:
        path = folder / item["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(config["data"][item["key"]])


@pytest.mark.parametrize(
    ("plan", "parallelism", "words"),
    [
        (in_pods(host="127.0.0.1"), 1, "in a pod is the pod itself"),
        (in_pods(host="localhost"), 1, "in a pod is the pod itself"),
        (in_pods(), 5, "--parallelism is 5, and a phase has 4 users"),
        (in_pods("http", held(4, 1000), arrivals(9, 4, 1000)), 1, "phases of one kind"),
        (in_pods("http", iterations(5), iterations(5)), 1, "one phase of iterations"),
        (in_pods(workload="x" * 1_100_000), 1, "a ConfigMap holds 1,000,000"),
    ],
)
def test_what_pods_cannot_run_is_refused(plan: Plan, parallelism: int, words: str) -> None:
    with pytest.raises(BakeoffError, match=words):
        made(plan, parallelism)


def test_an_engine_that_is_not_k6_has_none() -> None:
    with pytest.raises(BakeoffError, match=r"The engine native has no \[test_run\]"):
        made(in_pods(), engine="native")


def test_the_command_reads_a_plan_and_prints_manifests(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(in_pods()))
    done = CliRunner().invoke(app, ["test-run", str(plan), "--parallelism", "2"])
    assert done.exit_code == 0, done.output
    assert [each["kind"] for each in yaml.safe_load_all(done.stdout)] == ["ConfigMap", "TestRun", "NetworkPolicy"]
    plan.write_text("{}")
    refused = CliRunner().invoke(app, ["test-run", str(plan)])
    assert "is no plan" in str(refused.exception)


def test_segments_send_what_one_test_would(tmp_path: Path) -> None:
    """What the operator's pods run, as processes: no user of the plan twice, and none left out."""
    k6 = k6_path()
    with http_server() as server:
        # A plan for pods, whose address is replaced by that of the server here.
        plan = in_pods("http", held(5, 1500))
        config, run, _ = made(plan, 2)
        laid_down(config, run, tmp_path)
        here = {**plan, "transport": {**plan["transport"], "host": "127.0.0.1", "port": server.port}}
        (tmp_path / "plan.json").write_text(json.dumps(here))
        pods = [
            subprocess.Popen(
                # By k6-operator's pkg/segmentation and pkg/resources/jobs/runner.go.
                [
                    *(k6, "run", "--quiet", f"--execution-segment={segment}", "--execution-segment-sequence=0,1/2,1"),
                    *("-e", f"BAKEOFF_PLAN={tmp_path}/plan.json", "-e", "BAKEOFF_FIRST_PHASE=0"),
                    *(tmp_path / "rest-api-test.js", "--address=127.0.0.1:0", "--tag", "instance_id=1"),
                ],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for segment in ("0:1/2", "1/2:1")
        ]
        said = [pod.communicate(timeout=DEADLINE_SECONDS)[0] for pod in pods]
    assert [pod.returncode for pod in pods] == [0, 0], said
    keys = [seen.path.removeprefix("/items/") for seen in server.seen]
    assert len(keys) == len(set(keys)), "no message is sent twice"
    assert {key.split("-")[1] for key in keys} == {"0", "1", "2", "3", "4"}
