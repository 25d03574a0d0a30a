"""What --in kubernetes refuses before anything is started."""

from collections.abc import Sequence

import pytest

from bakeoff.comparing.agent_pods import check_pods, places_in_pods
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import UsageError
from bakeoff.factors.variant import Level
from bakeoff.project import Project

ATTACHED = {"a": "http://target:8081"}


def request(*places: str, agents: Sequence[Level] = (1,), **changes: object) -> ComparisonRequest:
    return ComparisonRequest("quick", "", levels={"runs_in": places, "agents": agents}, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (request("kubernetes"), "measures targets that Kubernetes runs: kubectl apply"),
        (request("kubernetes", "processes", attached=ATTACHED), "holds for all contenders"),
        (request("kubernetes", attached=ATTACHED, agents=["ssh://a,ssh://b"]), "give --agents their number"),
    ],
)
def test_what_a_cluster_cannot_measure_is_refused(asked: ComparisonRequest, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_pods(asked)


def test_attached_targets_with_a_number_of_agents_are_measured_there() -> None:
    check_pods(request("kubernetes", attached=ATTACHED, agents=[2, 8]))


def test_other_comparisons_need_no_cluster(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    check_pods(request("processes"))
    assert places_in_pods(project, request("processes")) == []
