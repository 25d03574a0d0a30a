"""Tests without a Docker engine: see end_to_end/test_containers.py for the rest."""

import contextlib
from pathlib import Path

import pytest

from bakeoff.containers.container import forget_removed_images
from bakeoff.containers.database import DatabaseContainer, postgres_image
from bakeoff.containers.docker import DockerEngine, run_docker
from bakeoff.containers.launcher import limits_of
from bakeoff.containers.removal import image_labels, images_removed, remove_labelled
from bakeoff.errors import BakeoffError
from bakeoff.options.table import EveryRunTable
from bakeoff.postgres.embedded import METRICS
from bakeoff.processes.launching import PROCESSES, Program
from docker_engine import FakeDocker, inspected
from made_up_manifests import image_build


def test_options_of_limits() -> None:
    limits = EveryRunTable(limit_cpus={"target": 1.5}, limit_memory_bytes={"target": 1 << 29}, pin={"target": (0, 2)})
    assert list(limits_of(limits, "engine")) == []
    assert list(limits_of(limits, "target")) == [
        "--cpus=1.5",
        "--memory=536870912",
        "--memory-swap=536870912",
        "--cpuset-cpus=0,2",
    ]


def test_an_image_that_the_engine_has_no_more_is_built_again(tmp_path: Path) -> None:
    build = image_build(tmp_path)
    assert build.image is not None
    build.image.write_text("sha256:1\n")
    with FakeDocker(inspected()).serving(tmp_path / "docker.sock") as address:
        forget_removed_images(DockerEngine(address), [build])
    assert not build.image.exists()


def test_docker_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BakeoffError, match="docker, was not found on PATH"):
        run_docker("unix:///nowhere", ["ps"])


def test_a_failing_command_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "docker"
    fake.write_text("#!/bin/sh\necho no such thing >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(BakeoffError, match="docker rm --force failed: no such thing"):
        run_docker("unix:///nowhere", ["rm", "--force", "x"])


# An engine that has one container, which another lab is removing: it is gone after so many refusals.
REMOVING = """#!/bin/sh
echo "$*" >> {folder}/calls
case "$*" in
    *" ps "*) [ "$(grep -c " rm --force" {folder}/calls)" -gt {refusals} ] || echo one ;;
    *" rm --force"*) echo "removal is already in progress" >&2; exit 1 ;;
esac
"""


@pytest.mark.parametrize(("refusals", "is_gone"), [(1, True), (3, True), (1000, False)])
def test_what_another_removes_at_the_same_time_is_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusals: int, is_gone: bool
) -> None:
    fake = tmp_path / "docker"
    fake.write_text(REMOVING.replace("{folder}", str(tmp_path)).replace("{refusals}", str(refusals)))
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with contextlib.nullcontext() if is_gone else pytest.raises(BakeoffError, match="already in progress"):
        remove_labelled("unix:///nowhere", "bakeoff.lab=x", pause_s=0)
    assert ("network ls" in (tmp_path / "calls").read_text()) == is_gone


def test_images_of_two_commits_are_removed_after_the_outermost_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, calls = tmp_path / "docker", tmp_path / "calls"
    # An image with two names is listed twice.
    fake.write_text(f'#!/bin/sh\necho "$*" >> {calls}\ncase "$*" in *" image ls "*) echo one; echo one; esac\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    of_checkout, own = image_labels(tmp_path)
    with FakeDocker(inspected()).serving(tmp_path / "docker.sock") as address:
        with images_removed(address, tmp_path):
            assert of_checkout in calls.read_text() and own not in calls.read_text()
            with images_removed(address, tmp_path):
                pass
            assert own not in calls.read_text()
        last = calls.read_text().splitlines()[-2:]
    assert last[0].endswith(f"--filter label={own}")
    assert last[1].endswith("image rm --force one")


def test_images_are_kept_from_an_engine_that_is_not_there(tmp_path: Path) -> None:
    with (
        pytest.raises(BakeoffError, match="No Docker engine answers"),
        images_removed(f"unix://{tmp_path}/none", tmp_path),
    ):
        pytest.fail("it is asked before anything is built")


class Recorded:
    """A launcher that takes note of the program, and starts one that ends at once."""

    def __init__(self) -> None:
        self.programs: list[Program] = []

    def __getattr__(self, name: str) -> object:
        return getattr(PROCESSES, name)

    def start(self, program: Program) -> object:
        self.programs.append(program)
        return PROCESSES.start(Program(role="database", command=["true"], log=program.log))


def test_the_database_has_the_settings_of_the_embedded_one_and_keeps_its_password_out_of_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAKEOFF_POSTGRES_IMAGE", "mirror/postgres:18")
    launcher = Recorded()
    with pytest.raises(BakeoffError, match=r"PostgreSQL \(mirror/postgres:18\) did not start"):
        DatabaseContainer(launcher, postgres_image(), METRICS, tmp_path).start()  # type: ignore[arg-type]
    (program,) = launcher.programs
    command = list(program.command)
    assert command[:2] == ["docker-entrypoint.sh", "postgres"]
    assert {"-cfsync=on", "-cmax_connections=200", "-clisten_addresses=*", f"-cport={program.port}"} <= set(command)
    # What the kind of instance overrides comes last, and so counts.
    assert command.index("-cshared_buffers=64MB") > command.index("-cshared_buffers=1GB")
    assert not any("unix_socket_directories" in part for part in command)
    assert program.environment["POSTGRES_PASSWORD"] not in " ".join(command)
    assert (program.user, program.data) == ("postgres", "/var/lib/postgresql")
