"""Manifests of Kubernetes: valid for its API, and with the properties that a run rests on."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from bakeoff.containers.pods import TEMPLATE
from bakeoff.project import Project

VERSION = "1.34"
TEMPORARY = "/tmp"  # noqa: S108 — a place in a pod
Manifest = dict[str, Any]


def documents(path: Path) -> list[Manifest]:
    return [each for each in yaml.safe_load_all(path.read_text("utf-8")) if each]


@pytest.fixture
def folder(clone: Project) -> Path:
    return clone.root / "deploy" / "kubernetes"


@pytest.fixture
def base(folder: Path) -> list[Manifest]:
    paths = [path for path in sorted((folder / "base").glob("*.yaml")) if path.name != "kustomization.yaml"]
    assert paths
    return [document for path in [*paths, folder.parents[1] / TEMPLATE] for document in documents(path)]


def pods(manifests: list[Manifest]) -> Iterator[tuple[str, Manifest]]:
    """The pods that they describe, by role."""
    for each in manifests:
        spec = each.get("spec", {})
        spec = spec.get("jobTemplate", {}).get("spec", spec)
        if "containers" in spec.get("template", {}).get("spec", {}):
            yield spec["template"]["metadata"]["labels"]["bakeoff/role"], spec["template"]["spec"]


def test_every_manifest_keeps_the_schema_of_its_api(base: list[Manifest]) -> None:
    for document in base:
        kubernetes_validate.validate(document, VERSION, strict=True)


def test_a_misspelled_member_is_found(base: list[Manifest]) -> None:
    (job,) = [each for each in base if each["kind"] == "Job"]
    job["spec"]["paralellism"] = 1
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(job, VERSION, strict=True)


def test_kustomizations_name_files_that_are_there(folder: Path) -> None:
    files = sorted(folder.rglob("kustomization.yaml"))
    assert {path.parent.name for path in files} >= {"base", "one-node", "several-nodes", "managed-database"}
    for path in files:
        (document,) = documents(path)
        named = [
            *document["resources"],
            *(each for one in document.get("configMapGenerator", ()) for each in one["files"]),
        ]
        missing = [name for name in named if not (path.parent / name).exists()]
        assert not missing, path


def test_requests_are_limits_and_pods_have_no_more_rights_than_they_need(base: list[Manifest]) -> None:
    found = dict(pods(base))
    assert found.keys() == {"target", "database", "metrics", "lab", "engine"}
    for role, pod in found.items():
        assert pod["securityContext"]["runAsNonRoot"] is True, role
        assert pod["automountServiceAccountToken"] is (role == "lab"), role
        for container in [*pod.get("initContainers", ()), *pod["containers"]]:
            assert container["resources"]["requests"] == container["resources"]["limits"], role
            assert container["resources"]["limits"].keys() == {"cpu", "memory"}, role
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"], role
            assert security["capabilities"] == {"drop": ["ALL"]}, role


def test_the_lab_may_do_what_a_run_needs_and_nothing_else(base: list[Manifest]) -> None:
    (role,) = [each for each in base if each["kind"] == "Role"]
    rights = {(resource, verb) for rule in role["rules"] for resource in rule["resources"] for verb in rule["verbs"]}
    assert rights == {
        *(("jobs", verb) for verb in ("create", "delete")),
        ("pods", "list"),
        *(("pods/attach", verb) for verb in ("get", "create")),
    }
    assert not [each for each in base if each["kind"] in ("ClusterRole", "ClusterRoleBinding")]


def test_the_lab_can_write_where_its_image_says_and_keeps_what_the_image_has_there(
    base: list[Manifest], folder: Path
) -> None:
    """On a read-only root; a volume hides what the image has at its place, unless it is copied there before."""
    pod = dict(pods(base))["lab"]
    dockerfile = (folder.parent / "docker" / "lab.Dockerfile").read_text("utf-8")
    (written,) = [json.loads(line.removeprefix("VOLUME ")) for line in dockerfile.splitlines() if "VOLUME" in line]
    (lab,), (copy,) = pod["containers"], pod["initContainers"]
    mounts = {mount["mountPath"]: mount for mount in lab["volumeMounts"]}
    assert mounts.keys() == {*written, TEMPORARY}
    emptied = {volume["name"] for volume in pod["volumes"] if "emptyDir" in volume}
    assert {mount["name"] for mount in mounts.values()} <= emptied
    state = mounts["/bakeoff/.bakeoff"]
    (place,) = [mount["mountPath"] for mount in copy["volumeMounts"] if mount["name"] == state["name"]]
    assert copy["command"] == ["cp", "--archive", "/bakeoff/.bakeoff", f"{place}/{state['subPath']}"]
    assert copy["image"] == lab["image"]


def test_no_pod_is_reached_from_everywhere(base: list[Manifest]) -> None:
    policies = {each["metadata"]["name"]: each["spec"] for each in base if each["kind"] == "NetworkPolicy"}
    assert policies["nothing-by-default"] == {"podSelector": {}, "policyTypes": ["Ingress"]}
    for name in ("target", "database", "metrics"):
        (rule,) = policies[name]["ingress"]
        assert rule["from"] and rule["ports"], name


def test_a_job_of_agents_starts_each_once(base: list[Manifest]) -> None:
    (job,) = [each for each in base if each["kind"] == "Job"]
    assert (job["spec"]["completionMode"], job["spec"]["backoffLimit"]) == ("Indexed", 0)
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert container["stdin"] and container["stdinOnce"]
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"


@pytest.mark.parametrize("overlay", ["one-node", "several-nodes", "managed-database"])
def test_an_overlay_builds_and_is_valid(folder: Path, overlay: str) -> None:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("kubectl is not on PATH, which builds overlays")
    built = subprocess.run(
        [kubectl, "kustomize", str(folder / "overlays" / overlay)], capture_output=True, text=True, check=True
    ).stdout
    manifests = [each for each in yaml.safe_load_all(built) if each]
    for document in manifests:
        kubernetes_validate.validate(document, VERSION, strict=True)
    kinds = [f"{each['kind']}/{each['metadata']['name']}" for each in manifests]
    assert ("StatefulSet/postgres" in kinds) == (overlay != "managed-database")
    target = next(each for each in manifests if each["kind"] == "Deployment")["spec"]["template"]["spec"]
    assert ("affinity" in target) == (overlay == "several-nodes")
    (url,) = [each for each in target["containers"][0]["env"] if each["name"] == "DATABASE_URL"]
    assert ("valueFrom" in url) == (overlay == "managed-database")
