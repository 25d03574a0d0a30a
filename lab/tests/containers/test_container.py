import os
from pathlib import Path
from typing import Any

import pytest

from bakeoff.containers.container import StatsUsage, find_container, usage_of
from bakeoff.containers.docker import DockerEngine, docker_address
from bakeoff.errors import BakeoffError
from bakeoff.sampling.process_tree import Usage
from docker_engine import DIGEST, ID, IMAGE_ID, FakeDocker, inspected, stats


def test_a_container_is_known_by_what_it_runs_and_may_use(tmp_path: Path) -> None:
    with FakeDocker(inspected()).serving(tmp_path / "docker.sock") as address:
        found = find_container(DockerEngine(address), "go-rest")
    assert (found.id, found.pid, found.started_at) == (ID, 1234, "2026-01-06T09:06:59.461876391Z")
    assert found.described() == {
        "container": f"go-rest ({ID[:12]})",
        "image": "registry.example/producer-api-go-rest:1.4",
        "image_digest": DIGEST,
        "limits": "2 CPUs, 2048 MiB",
        "memory_limit_mib": "2048",
    }


@pytest.mark.parametrize(
    ("host", "limits"),
    [
        ({"NanoCpus": 0, "Memory": 0}, "none"),
        ({"NanoCpus": 0, "CpuQuota": 150_000, "CpuPeriod": 100_000}, "1.5 CPUs, 2048 MiB"),
        ({"NanoCpus": 0, "CpuQuota": 50_000, "CpusetCpus": "0-1", "Memory": 1 << 29}, "0.5 CPUs, CPUs 0-1, 512 MiB"),
        ({"NanoCpus": 0, "CpuQuota": -1, "Memory": 0}, "none"),
    ],
)
def test_limits(tmp_path: Path, host: dict[str, Any], limits: str) -> None:
    document = inspected()
    document["HostConfig"].update(host)
    with FakeDocker(document).serving(tmp_path / "docker.sock") as address:
        assert find_container(DockerEngine(address), "go-rest").described()["limits"] == limits


def test_an_image_that_no_registry_knows_is_named_by_its_id(tmp_path: Path) -> None:
    docker = FakeDocker(inspected())
    docker.digests = []
    with docker.serving(tmp_path / "docker.sock") as address:
        assert find_container(DockerEngine(address), ID).image_digest == IMAGE_ID


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"Paused": True, "Status": "paused"}, "go-rest is paused: docker unpause go-rest"),
        ({"Restarting": True, "Status": "restarting"}, "go-rest keeps restarting"),
        ({"Running": False, "Status": "exited", "Pid": 0}, r"not running \(exited\): docker start go-rest"),
    ],
)
def test_a_container_must_be_at_work(tmp_path: Path, state: dict[str, Any], words: str) -> None:
    with (
        FakeDocker(inspected(**state)).serving(tmp_path / "docker.sock") as address,
        pytest.raises(BakeoffError, match=words),
    ):
        find_container(DockerEngine(address), "go-rest")


@pytest.mark.parametrize(("running", "words"), [(["b", "a"], "a, b"), ([], "none")])
def test_an_unknown_container_is_answered_with_those_that_run(tmp_path: Path, running: list[str], words: str) -> None:
    with (
        FakeDocker(*map(inspected, running)).serving(tmp_path / "docker.sock") as address,
        pytest.raises(BakeoffError, match=rf'no container "c/d"\. Running ones: {words}\.'),
    ):
        find_container(DockerEngine(address), "c/d")


def test_an_engine_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BakeoffError, match=f"No Docker engine answers at unix://{tmp_path}/none.sock"):
        DockerEngine(f"unix://{tmp_path}/none.sock").get("/containers/json")


def test_a_socket_that_this_user_may_not_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("socket.socket.connect", refuse)
    with pytest.raises(BakeoffError, match=r"may not open /var/run/docker.sock.*sudo usermod -aG docker"):
        DockerEngine(docker_address({})).get("/containers/json")


@pytest.mark.parametrize("address", ["tcp://10.0.0.5:2375", "ssh://me@host", "npipe:////./pipe/docker_engine"])
def test_containers_of_other_machines_are_refused(address: str) -> None:
    with pytest.raises(BakeoffError, match="containers of this machine only"):
        DockerEngine(docker_address({"DOCKER_HOST": address}))


def test_an_engine_too_old(tmp_path: Path) -> None:
    with (
        FakeDocker(newest="1.40").serving(tmp_path / "docker.sock") as address,
        pytest.raises(BakeoffError, match=r"speaks version 1\.40 of its API, and 1\.41 is needed"),
    ):
        DockerEngine(address).get("/containers/json")


def test_an_engine_that_no_longer_speaks_the_oldest_version(tmp_path: Path) -> None:
    docker = FakeDocker(inspected(), newest="1.57", oldest="1.44")
    with docker.serving(tmp_path / "docker.sock") as address:
        find_container(DockerEngine(address), "go-rest")
    assert "/v1.44/containers/go-rest/json" in docker.received


def test_what_is_no_engine_at_all(tmp_path: Path) -> None:
    docker = FakeDocker(inspected())
    docker.version = {}
    with (
        docker.serving(tmp_path / "docker.sock") as address,
        pytest.raises(BakeoffError, match=r"\(unknown\) speaks version 0\.0"),
    ):
        find_container(DockerEngine(address), "go-rest")


# Of the older layout and of the unified one, each with pages of the cache that belong to no process.
OLDER = {"cache": 9 << 20, "rss": 1, "total_rss": 6 << 20, "mapped_file": 1, "total_mapped_file": 1 << 20}
UNIFIED = {"anon": 6 << 20, "file": 9 << 20, "file_mapped": 1 << 20, "inactive_file": 5 << 20, "shmem": 0}


@pytest.mark.parametrize(
    ("memory", "resident_mib"),
    [
        ({"usage": 16 << 20, "stats": OLDER}, 7),
        ({"usage": 16 << 20, "stats": UNIFIED}, 7),
        ({"usage": 16 << 20}, 16),
        ({"usage": 16 << 20, "stats": {"inactive_file": 3}}, 16),
    ],
)
def test_the_engine_s_own_figures(tmp_path: Path, memory: dict[str, Any], resident_mib: int) -> None:
    docker = FakeDocker(inspected(Pid=0))
    docker.stats = stats(1_500_000_000, memory)
    with docker.serving(tmp_path / "docker.sock") as address:
        engine = DockerEngine(address)
        source = usage_of(engine, find_container(engine, "go-rest"))
        assert isinstance(source, StatsUsage)
        assert source.usage() == Usage(1.5, resident_mib << 20)
        assert source.proportional_bytes() is None
    assert docker.received[-1] == f"/v1.41/containers/{ID}/stats?stream=false&one-shot=true"


def test_a_container_that_has_ended_uses_nothing(tmp_path: Path) -> None:
    docker = FakeDocker(inspected(Pid=0))
    docker.stats = stats(0, {})
    with docker.serving(tmp_path / "docker.sock") as address:
        engine = DockerEngine(address)
        source = usage_of(engine, find_container(engine, "go-rest"))
        assert source.usage() is None
        docker.containers.clear()
        assert source.usage() is None


def test_the_kernel_s_accounts_are_taken_only_of_the_container_itself(tmp_path: Path) -> None:
    """A process of that number is here, and it is not the container's: the engine counts elsewhere."""
    with FakeDocker(inspected(Pid=os.getpid())).serving(tmp_path / "docker.sock") as address:
        engine = DockerEngine(address)
        assert isinstance(usage_of(engine, find_container(engine, "go-rest")), StatsUsage)
