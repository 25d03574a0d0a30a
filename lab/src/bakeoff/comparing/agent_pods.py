"""Agents in the pods of a Kubernetes cluster, for requests that name it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.engines.transport import FEATURE, Transport
from bakeoff.errors import UsageError
from bakeoff.options.table import KUBERNETES
from bakeoff.project import Project
from bakeoff.running.contender import Contender

if TYPE_CHECKING:
    from bakeoff.containers.kubernetes_api import KubernetesCluster


def check_pods(request: ComparisonRequest, contenders: Sequence[Contender]) -> None:
    """Raises UsageError for what cannot be measured in a cluster, BakeoffError where none answers. Builds nothing."""
    places = {variant.runs_in for variant in request.variants()}
    if KUBERNETES not in places:
        return
    if places != {KUBERNETES}:
        raise UsageError("--in kubernetes holds for all contenders of a comparison: their targets run there already.")
    if not request.attached:
        raise UsageError(
            "--in kubernetes measures targets that Kubernetes runs: kubectl apply --kustomize "
            "deploy/kubernetes/overlays/several-nodes, then name each with --attach NAME=http://SERVICE:PORT."
        )
    if request.agent_hosts:
        raise UsageError("--in kubernetes says where agents run: give --agents their number.")
    for contender in contenders:
        engine = contender.engine
        if not engine.can(FEATURE) or engine.image is None:
            lacking = "no [image]" if engine.can(FEATURE) else f"not the feature {FEATURE}"
            raise UsageError(
                f"The engine {engine.name} has {lacking} in its engine.toml, which pods need: use another --engine."
            )
    _cluster().check()


def places_in_pods(project: Project, request: ComparisonRequest) -> list[Transport]:
    """A place for each agent; none where they run elsewhere."""
    if all(variant.runs_in != KUBERNETES for variant in request.variants()):
        return []
    # Imported where it is needed, as the cluster is: few comparisons run in one.
    from bakeoff.containers.pods import EngineJobs, read_template

    return list(EngineJobs(_cluster(), project, read_template(project)).places(request.most_agents))


def _cluster() -> "KubernetesCluster":
    from bakeoff.containers.kubernetes_api import KubernetesCluster

    return KubernetesCluster()
