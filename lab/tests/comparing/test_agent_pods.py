"""Refusals of --in kubernetes before anything is started."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.comparing.agent_hosts import check_pods, places_in_pods
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.containers.kubernetes_api import KubernetesCluster
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.variant import Level, Variant
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from made_up_manifests import engine, image_build, target, workload

ATTACHED = {"a": "http://target:8081"}


def request(*places: str, agents: Sequence[Level] = (1,), **changes: object) -> ComparisonRequest:
    return ComparisonRequest("quick", "", levels={"runs_in": places, "agents": agents}, **changes)  # type: ignore[arg-type]


def contender(*features: str, has_image: bool = True) -> Contender:
    own = engine("own", *features)
    built = image_build(Path("/nowhere")) if has_image else None
    return Contender(target("a"), workload(), replace(own, image=built), Variant())


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (request("kubernetes", "processes", attached=ATTACHED), "holds for all contenders"),
    ],
)
def test_what_a_cluster_cannot_measure_is_refused(asked: ComparisonRequest, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_pods(asked, [contender("agents")])


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (contender(), "The engine own has not the feature agents in its engine.toml"),
        (contender("agents", has_image=False), r"The engine own has no \[image\] in its engine.toml"),
    ],
)
def test_an_engine_that_pods_cannot_run_is_refused(own: Contender, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_pods(request("kubernetes", attached=ATTACHED), [own])


def test_attached_targets_with_a_number_of_agents_are_measured_there(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(KubernetesCluster, "__init__", lambda _: None)
    monkeypatch.setattr(KubernetesCluster, "check", lambda _: asked.append("cluster"))
    check_pods(request("kubernetes", attached=ATTACHED, agents=[2, 8]), [contender("agents")])
    assert asked == ["cluster"]


def test_without_a_cluster_nothing_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", "/nowhere")
    with pytest.raises(BakeoffError, match=r"No Kubernetes cluster is configured: .* Set KUBECONFIG"):
        check_pods(request("kubernetes", attached=ATTACHED), [contender("agents")])


def test_other_comparisons_need_no_cluster(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    check_pods(request("processes"), [contender(has_image=False)])
    assert places_in_pods(project, request("processes")) == []
