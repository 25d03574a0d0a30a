"""`./bakeoff run --in docker`: the same run as with processes, with target, database and engine in containers."""

import json
import signal
import time
from pathlib import Path

import pytest
from bakeoff_process import bakeoff_started, interrupt
from docker_here import left, need_image

from bakeoff.containers.docker import DockerEngine
from bakeoff.project import Project

pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("checkout")]

TARGET = "producer-api-go-rest"
ROLES = ("target", "database", "engine")
LIMITS = ["--limit-cpus=target=1,database=1,engine=1", "--limit-memory=target=256M,database=2G,engine=256M"]


@pytest.fixture(scope="session")
def project(gallery: Project) -> Project:
    """The real checkout: images are built of it."""
    return gallery


@pytest.fixture(autouse=True)
def images(docker: DockerEngine) -> None:
    need_image(docker, "postgres:18-bookworm")


def test_a_smoke_run_in_containers_is_audited_and_names_images_and_limits(
    project: Project, docker: DockerEngine, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    process = bakeoff_started(project, "run", "smoke", "--in", "docker", "-t", TARGET, *LIMITS, results=results)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    (file,) = (results / TARGET).glob("*.json")
    run = json.loads(file.read_text("utf-8"))
    assert (run["status"], run["audit"]["verdict"]) == ("completed", "clean")
    assert run["settings"]["runs_in"] == "docker"
    environment = run["environment"]
    for role in ROLES:
        assert environment[f"{role}_image_digest"].startswith("sha256:"), role
    assert [environment[f"{role}_limits"] for role in ROLES] == [
        "1 CPUs, 256 MiB",
        "1 CPUs, 2048 MiB",
        "1 CPUs, 256 MiB",
    ]
    assert {sample[1] for sample in run["samples"]} == {*ROLES}
    assert left(docker, project.root) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_run_that_is_ended(
    project: Project, docker: DockerEngine, tmp_path: Path, how: signal.Signals
) -> None:
    results = tmp_path / "results"
    arguments = ["run", "quick", "--in", "docker", "-t", TARGET, "--users", "4", "--phase-duration", "60s"]
    process = bakeoff_started(project, *arguments, results=results)
    assert process.stdout is not None
    seen = next((line for line in process.stdout if "Warm-up" in line), "")
    assert seen, "the run ended before its load began"
    assert len(left(docker, project.root)) >= 3
    if how is signal.SIGINT:
        interrupt(process)
    else:
        process.kill()
    process.communicate()
    until_nothing_is_left(docker, project)


def until_nothing_is_left(docker: DockerEngine, project: Project) -> None:
    """The guardian of a killed lab works in the background."""
    deadline = time.monotonic() + 120
    while left(docker, project.root) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left(docker, project.root) == []


@pytest.mark.parametrize(
    ("options", "variables", "words"),
    [
        (["--attach", f"{TARGET}=http://127.0.0.1:1"], {}, "Leave out --attach"),
        (["-t", TARGET, "--tls"], {}, "Leave out --tls"),
        (["-t", TARGET], {"DATABASE_URL": "postgresql://h/x"}, "cannot be combined with DATABASE_URL"),
        (["-t", "transaction-gateway-haproxy"], {}, "has no image"),
        (["-t", TARGET], {"DOCKER_HOST": "unix:///nowhere/docker.sock"}, "No Docker engine answers"),
    ],
)
def test_what_containers_cannot_have_is_refused_before_anything_is_built(
    project: Project, tmp_path: Path, options: list[str], variables: dict[str, str], words: str
) -> None:
    results = tmp_path / "results"
    arguments = ["run", "smoke", "--in", "docker", *options]
    process = bakeoff_started(project, *arguments, results=results, environment=variables)
    output, _ = process.communicate()
    assert process.returncode != 0
    assert words in " ".join(output.split()), output
    assert "building" not in output


def test_limits_of_other_roles_than_the_target_need_containers(project: Project, tmp_path: Path) -> None:
    arguments = ["run", "smoke", "-t", TARGET, "--limit-cpus", "target=1,engine=1"]
    process = bakeoff_started(project, *arguments, results=tmp_path / "results")
    output, _ = process.communicate()
    assert process.returncode == 2
    assert "need --in docker" in " ".join(output.split())
