"""deploy/compose: the documented services, on a real Docker engine and with whichever Compose is installed."""

import json
import os
import shutil
import subprocess
import time
import tomllib
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from docker_here import need_image, skip_without

from bakeoff.containers.container import find_container, forget_removed_images
from bakeoff.containers.docker import DockerEngine, run_docker
from bakeoff.postgres.server import Server, permit_reset
from bakeoff.processes import ports
from bakeoff.project import Project, own_checkout
from bakeoff.targets.manifest import find_targets

pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("checkout")]

FILE = own_checkout().root / "deploy/compose/docker-compose.yml"
POSTGRES = "postgres:18-bookworm"
# The documented profile of each service.
DOCUMENTED = {
    "postgres-large": None,
    "postgres-metrics": None,
    "producer-api-java-rest": "producer-java-rest",
    "producer-api-java-grpc": "producer-java-grpc",
    "producer-api-rust-rest": "producer-rust-rest",
    "producer-api-rust-grpc": "producer-rust-grpc",
    "producer-api-go-rest": "producer-go-rest",
    "producer-api-go-grpc": "producer-go-grpc",
    "k6-throughput": "k6-test",
}


@pytest.fixture(scope="session")
def project(gallery: Project) -> Project:
    """The real checkout: images are built of it."""
    return gallery


class Compose:
    """Commands of one separate project."""

    def __init__(self, program: Sequence[str], file: Path, name: str, **environment: str) -> None:
        self._command = [*program, "--file", str(file), "--project-name", name]
        self._environment = {**os.environ, **environment}

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._command, *arguments], env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def container(self, service: str) -> str:
        return self.run("ps", "--quiet", service).strip()


def installed() -> list[str]:
    """docker-compose 1.29, or the plugin of Docker's client."""
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    try:
        subprocess.run(["docker", "compose", "version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        skip_without("docker", "neither docker-compose nor docker compose is installed")
    return ["docker", "compose"]


def all_services() -> dict[str, Any]:
    """The file as Compose understands it, with its defaults filled in."""
    compose = Compose(installed(), FILE, "bakeoff-config")
    profiles = [f"--profile={name}" for name in ("comparison", "k6-test")]
    shown = compose.run(*profiles, "config")
    services: dict[str, Any] = yaml.safe_load(shown)["services"]
    return services


@pytest.fixture
def postgres(project: Project, docker: DockerEngine) -> Iterator[Compose]:
    """The database alone, with limits that every machine can give."""
    need_image(docker, POSTGRES)
    chosen = {"POSTGRES_PORT": str(ports.free_port()), "POSTGRES_METRICS_PORT": str(ports.free_port())}
    limits = {"POSTGRES_CPUS": "0.5", "POSTGRES_MEMORY": "300m", "POSTGRES_MEMORY_RESERVED": "200m", "API_CPUS": "1"}
    chosen["GO_REST_PORT"] = str(ports.free_port())
    name = f"bakeoff-test-{os.getpid()}"
    compose = Compose(
        installed(),
        FILE,
        name,
        **chosen,
        **limits,
        POSTGRES_SHARED_BUFFERS="64MB",
        POSTGRES_PASSWORD="p",
    )
    try:
        yield compose
    finally:
        compose.run("--profile", "comparison", "down", "--volumes")


def test_limits_and_reservations_are_applied_and_the_database_may_be_measured(
    postgres: Compose, docker: DockerEngine
) -> None:
    postgres.run("up", "-d", "postgres-large")
    name = postgres.container("postgres-large")
    assert find_container(docker, name).described()["limits"] == "0.5 CPUs, 300 MiB"
    script = "cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.low 2>/dev/null || " + (
        "cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us"
        " /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory/memory.soft_limit_in_bytes"
    )
    assert run_docker(docker.address, ["exec", name, "sh", "-c", script]) == [
        "50000",
        "100000",
        str(300 << 20),
        str(200 << 20),
    ]
    assert run_docker(docker.address, ["exec", name, "id", "-un"]) == ["postgres"]
    wait_until_healthy(docker, name)
    shown = ["psql", "-U", "postgres", "-d", "car_entities", "-tAc", "SHOW shared_buffers"]
    assert postgres.run("exec", "-T", "postgres-large", *shown).strip() == "64MB"
    port = docker.get(f"/containers/{name}/json")["NetworkSettings"]["Ports"]["5432/tcp"][0]
    assert port["HostIp"] == "127.0.0.1"
    permit_reset(Server(f"postgresql://postgres:p@127.0.0.1:{port['HostPort']}/car_entities", None, embedded=False))


def wait_until_healthy(docker: DockerEngine, name: str) -> None:
    deadline = time.monotonic() + 120
    while docker.get(f"/containers/{name}/json")["State"]["Health"]["Status"] != "healthy":
        assert time.monotonic() < deadline, "the health check never passed"
        time.sleep(0.1)


def test_services_and_profiles_are_the_documented_ones(project: Project, docker: DockerEngine) -> None:
    services = all_services()
    for name, profile in DOCUMENTED.items():
        profiles = services[name].get("profiles", [])
        assert ([profile] if profile else []) == [each for each in profiles if each != "comparison"], name


def test_documented_limits_are_the_defaults(project: Project, docker: DockerEngine) -> None:
    gib = 1 << 30
    services = all_services()
    expected = {
        "postgres-large": (4.0, 4 * gib, gib, 1024),
        "k6-throughput": (2.0, 2 * gib, gib // 2, 512),
        **{name: (2.0, 2 * gib, gib, 1024) for name in DOCUMENTED if name.startswith("producer-")},
    }
    for name, limits in expected.items():
        own = services[name]
        found = (
            float(own["cpus"]), bytes_of(own["mem_limit"]), bytes_of(own["mem_reservation"]), int(own["cpu_shares"])
        )  # fmt: skip
        assert found == limits, name


def bytes_of(size: str | int) -> int:
    """A size as either Compose prints it: 4g, 512m, or bytes."""
    text = str(size)
    unit = {"g": 1 << 30, "m": 1 << 20, "k": 1 << 10}.get(text[-1].lower())
    return int(text[:-1]) * unit if unit else int(text)


def test_published_ports_do_not_collide(project: Project, docker: DockerEngine) -> None:
    published = [json.dumps(port) for each in all_services().values() for port in each.get("ports", [])]
    assert len(set(published)) == len(published) == 8


def test_images_are_built_with_the_arguments_of_the_manifests(project: Project, docker: DockerEngine) -> None:
    services = all_services()
    for path in (project.root / "targets" / "events").glob("*/*/target.toml"):
        manifest = tomllib.loads(path.read_text("utf-8"))
        if manifest["name"] not in DOCUMENTED:
            continue
        build = services[manifest["name"]]["build"]
        assert build["args"] == manifest["image"]["arguments"], path
        assert (path.parent / manifest["image"]["dockerfile"]).resolve().name == Path(build["dockerfile"]).name


def test_a_documented_service_serves_and_its_health_check_passes(
    project: Project, postgres: Compose, docker: DockerEngine
) -> None:
    (target,) = [each for each in find_targets(project) if each.name == "producer-api-go-rest"]
    assert target.image is not None
    forget_removed_images(docker, [target.image])
    if target.image.is_stale():
        target.image.run(lambda _: None)
    postgres.run("--profile", "producer-go-rest", "up", "-d", "postgres-large", target.name)
    name = postgres.container(target.name)
    wait_until_healthy(docker, name)
    container = docker.get(f"/containers/{name}/json")
    assert container["HostConfig"]["ReadonlyRootfs"]
    assert run_docker(docker.address, ["exec", name, "id", "-u"]) == ["10001"]
    port = container["NetworkSettings"]["Ports"]["9083/tcp"][0]["HostPort"]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/events/health") as reply:
        assert json.load(reply)["healthy"] is True
