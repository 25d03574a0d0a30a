"""`bakeoff gate --in docker --against REF`: both commits' images on a real Docker engine, by the installed wheel."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bakeoff_process import OWN_VARIABLES, interrupt
from docker_here import SMALL_IMAGE, left, need_image

from bakeoff.containers.database import postgres_image
from bakeoff.containers.docker import DockerEngine
from bakeoff.project import FALLBACK_VARIABLE, PROJECT_VARIABLE
from bakeoff.running.lock import MACHINE_LOCK_VARIABLE

pytestmark = pytest.mark.end_to_end

PARCELS = Path(__file__).parents[1] / "projects" / "parcels"
GATE = ("gate", "--in", "docker", "--users", "4", "--phase-duration", "1s", "--warm-up", "0s", "--no-rerun")
# So many statements that a second on a busy machine shows them.
SLOW = 100


@pytest.fixture(scope="session")
def parcels(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The service by the number of statements that a read sends beside its own: static programs."""
    if shutil.which("go") is None:
        pytest.skip("go is not on PATH, and builds the service whose images are compared")
    folder = tmp_path_factory.mktemp("parcels")
    for lookups in (0, SLOW):
        done = subprocess.run(
            ["go", "build", "-trimpath", f"-ldflags=-X main.lookups={lookups}", "-o", folder / str(lookups), "."],
            cwd=PARCELS, env={**os.environ, "CGO_ENABLED": "0"}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    return {lookups: folder / str(lookups) for lookups in (0, SLOW)}


class Repository:
    """A git repository with the service, and what a Docker engine has of it."""

    def __init__(self, root: Path, programs: Path, docker: DockerEngine, parcels: dict[int, Path]) -> None:
        self.root = root
        self._bakeoff, self._docker, self._parcels = programs / "bakeoff", docker, parcels
        named = (*OWN_VARIABLES, PROJECT_VARIABLE, FALLBACK_VARIABLE, "BAKEOFF_RESULTS", "PYTHONPATH", "VIRTUAL_ENV")
        inherited = {name: value for name, value in os.environ.items() if name not in named}
        lock, cache = root.with_suffix(".lock"), root.with_suffix(".cache")
        self._environment = {
            **inherited, MACHINE_LOCK_VARIABLE: str(lock), "XDG_CACHE_HOME": str(cache), "COLUMNS": "140"
        }  # fmt: skip

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, lookups: int, **files: str) -> None:
        """Commits the service; `files` replace those of the project by their names up to the dot."""
        for name in ("Dockerfile", ".dockerignore", "bakeoff.toml"):
            shutil.copy(PARCELS / name, self.root)
        for name, text in files.items():
            (self.root / (name if name == "Dockerfile" else f"{name}.toml")).write_text(text, "utf-8")
        shutil.copy(self._parcels[lookups], self.root / "parcels")
        self.git("add", "-A")
        self.git("commit", "--allow-empty", "-qm", f"{lookups} lookups")

    def gate(self, *arguments: str, **variables: str) -> tuple[int, str]:
        """The exit status of a gate, and what it printed."""
        done = subprocess.run(
            [self._bakeoff, *GATE, *arguments],
            cwd=self.root, env={**self._environment, **variables}, capture_output=True, text=True, timeout=580,
            check=False,
        )  # fmt: skip
        return done.returncode, f"{done.stdout}\n{done.stderr}"

    def started(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [self._bakeoff, *GATE, *arguments],
            cwd=self.root, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,
        )  # fmt: skip

    def left(self) -> list[str]:
        """What the engine has of this repository's gates."""
        return left(self._docker, self.root)


@pytest.fixture
def repository(tmp_path: Path, programs: Path, docker: DockerEngine, parcels: dict[int, Path]) -> Iterator[Repository]:
    need_image(docker, postgres_image())
    engine = programs / "bakeoff-load"
    mount = f"--mount=type=bind,source={engine},target={engine},readonly"
    run = ["docker", "run", "--rm", mount, f"--entrypoint={engine}", SMALL_IMAGE, "--version"]
    if subprocess.run(run, capture_output=True, check=False).returncode != 0:
        pytest.skip(f"the engine that was built here does not run in {SMALL_IMAGE}, which has an older C library")
    root = tmp_path / "repository"
    root.mkdir()
    made = Repository(root, programs, docker, parcels)
    made.git("init", "-q", "-b", "main")
    (root / ".gitignore").write_text(".bakeoff\n", "utf-8")
    yield made
    assert made.left() == []


def test_a_slower_commit_fails_with_its_statements_and_a_revert_passes(repository: Repository) -> None:
    repository.commit(0)
    repository.commit(SLOW)
    status, output = repository.gate("--against", "HEAD~1")
    assert status == 1, output
    assert "track takes" in output
    assert f"track sends {SLOW + 1} statements to PostgreSQL instead of 1." in output
    assert "Allocations of parcels per request: " in output
    assert repository.left() == []
    repository.git("revert", "--no-edit", "HEAD")
    status, output = repository.gate("--against", "HEAD~2", "--rounds", "3", "--unclear", "pass")
    assert status == 0, output
    assert "track takes" not in output


def test_a_base_whose_image_does_not_build_is_reported(repository: Repository) -> None:
    repository.commit(0, Dockerfile="FROM scratch\nCOPY nothing /nothing\n")
    repository.commit(0)
    status, output = repository.gate("--against", "HEAD~1")
    assert status == 0, output
    assert "did not build (docker build" in output and "Last lines of" in output
    assert "nothing" in output.rpartition("Last lines of")[2]


def test_a_candidate_whose_image_does_not_build_fails(repository: Repository, tmp_path: Path) -> None:
    repository.commit(0)
    repository.commit(0, Dockerfile="FROM scratch\nCOPY nothing /nothing\n")
    summary = tmp_path / "summary.md"
    status, output = repository.gate("--against", "HEAD~1", "--comment", GITHUB_STEP_SUMMARY=str(summary))
    assert status == 1, output
    assert "round 1 of" not in output, "the base was measured for nothing"
    assert "parcels: not measured: image parcels did not build." in output
    assert "nothing" in output.rpartition("Last lines of")[2]
    text = summary.read_text("utf-8")
    assert "**parcels: not measured: image parcels did not build.**" in text
    assert "nothing" in text.rpartition("Last lines of")[2]


def does_not_migrate() -> str:
    """The project of a service with a migration of a table that is not there."""
    text = (PARCELS / "bakeoff.toml").read_text("utf-8")
    assert '"migrate"]' in text
    return text.replace('"migrate"]', '"migrate", "ALTER TABLE parcel ADD weight int"]')


WHY = 'relation "parcel" does not exist'


def test_a_candidate_that_does_not_migrate_fails_and_the_base_is_not_measured(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit(0)
    repository.commit(0, bakeoff=does_not_migrate())
    summary = tmp_path / "summary.md"
    status, output = repository.gate("--against", "HEAD~1", "--comment", GITHUB_STEP_SUMMARY=str(summary))
    assert status == 1, output
    assert "round 1 of" not in output, "the base was measured for nothing"
    assert "parcels: not measured: prepare failed with status 1. Correct prepare in its storage." in output
    assert WHY in output and WHY in summary.read_text("utf-8")


def test_a_base_that_does_not_migrate_is_reported(repository: Repository) -> None:
    repository.commit(0, bakeoff=does_not_migrate())
    repository.commit(0)
    status, output = repository.gate("--against", "HEAD~1", "--rounds", "3")
    assert status == 0, output
    assert "Nothing could be compared: the base could not be measured." in output
    assert "prepare failed with status 1" in output and WHY in output


def test_a_base_without_an_image_is_reported(repository: Repository) -> None:
    project = (PARCELS / "bakeoff.toml").read_text("utf-8")
    repository.commit(0, bakeoff=project.replace('image = "Dockerfile"', 'run = "./parcels"'))
    repository.commit(0)
    status, output = repository.gate("--against", "HEAD~1")
    assert status == 0, output
    assert "Its [image] is not in that commit yet." in output


def test_what_cannot_be_measured_is_undecided_with_the_next_step(repository: Repository) -> None:
    project = (PARCELS / "bakeoff.toml").read_text("utf-8")
    repository.commit(0)
    repository.commit(0, bakeoff=project.replace('image = "Dockerfile"', 'run = "./parcels"'))
    status, output = repository.gate("--against", "HEAD~1", "-t", "parcels")
    assert (status, "parcels has no image" in " ".join(output.split())) == (2, True), output
    repository.commit(0)
    status, output = repository.gate("--against", "HEAD~1", DOCKER_HOST="unix:///nowhere/docker.sock")
    assert (status, "No Docker engine answers" in " ".join(output.split())) == (2, True), output


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_gate_that_is_ended(repository: Repository, how: signal.Signals) -> None:
    repository.commit(0)
    repository.commit(SLOW)
    process = repository.started("--against", "HEAD~1", "--rounds", "50")
    assert process.stdout is not None
    seen = next((line for line in process.stdout if "round 1 of 50" in line), "")
    assert seen, "the gate ended before its load began"
    # Containers of both sides, two volumes, a network, and images.
    assert len(repository.left()) >= 5
    if how is signal.SIGINT:
        interrupt(process)
        process.communicate()
        assert repository.left() == []
        return
    process.kill()
    process.communicate()
    # Its guardian works in the background.
    deadline = time.monotonic() + 120
    while repository.left() and time.monotonic() < deadline:
        time.sleep(0.1)
