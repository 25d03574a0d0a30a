"""A whole run with its agents in pods, where a cluster is there that has the target (deploy/kubernetes/testbed)."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from bakeoff_process import bakeoff
from docker_here import skip_without

from bakeoff.project import Project

pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("checkout")]

NAMESPACE = "bakeoff"
TARGET = "producer-api-go-rest"


@pytest.fixture(scope="session")
def project(gallery: Project) -> Project:
    """The real checkout: the cluster runs images of it."""
    return gallery


def kubectl(*arguments: str) -> Any:
    """The API's answer, as JSON."""
    done = subprocess.run(
        ["kubectl", "--namespace", NAMESPACE, *arguments, "--output", "json"],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def address(service: str) -> str:
    spec = kubectl("get", "service", service)["spec"]
    return f"{spec['clusterIP']}:{spec['ports'][0]['port']}"


@pytest.fixture
def cluster() -> Mapping[str, str]:
    """The addresses of the target, its database and the metrics database."""
    try:
        return {name: address(name) for name in ("target", "postgres", "postgres-metrics")}
    except (OSError, subprocess.CalledProcessError) as error:
        skip_without("kubernetes", f"no cluster with the target of deploy/kubernetes: {error}")
        raise


@pytest.mark.parametrize("engine", ["native", "k6"])
def test_two_agents_in_pods_make_a_valid_run(
    project: Project, cluster: Mapping[str, str], tmp_path: Path, engine: str
) -> None:
    results = tmp_path / "results"
    done = bakeoff(
        project,
        *("run", "quick", "--in", "kubernetes", "--agents", "2", "--users", "8", "--phase-duration", "1s"),
        *("--engine", engine),
        *("--warm-up", "1s", "--attach", f"{TARGET}=http://{cluster['target']}"),
        results=results,
        environment={
            "BAKEOFF_NAMESPACE": NAMESPACE,
            "DATABASE_URL": f"postgresql://bakeoff:bakeoff@{cluster['postgres']}/bakeoff",
            "METRICS_DATABASE_URL": f"postgresql://bakeoff:bakeoff@{cluster['postgres-metrics']}/performance_metrics",
        },
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (results / TARGET).glob("*quick*.json")
    run = json.loads(path.read_text("utf-8"))
    assert (run["status"], run["settings"]["agents"]) == ("completed", "2")
    assert run["total"]["failed"] == 0 < run["total"]["ok"]
    # Only the native engine keeps a ledger.
    assert (run["audit"] is not None) == (engine == "native")
    assert kubectl("get", "jobs", "--selector", "bakeoff/role=engine")["items"] == []
