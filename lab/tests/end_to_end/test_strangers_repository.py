"""A repository that is not the clone's, measured by the installed wheel: init, smoke, quick, report, gate."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from bakeoff_process import OWN_VARIABLES

from action import run_step
from bakeoff.project import FALLBACK_VARIABLE, PROJECT_VARIABLE, Project
from bakeoff.running.lock import MACHINE_LOCK_VARIABLE, measuring_lab
from fake_forge import FakeForge

pytestmark = pytest.mark.end_to_end

SHOP = Path(__file__).parents[1] / "projects" / "shop"
# What its author writes into the file that init made: how the shop is started.
RUN = """run = "python3 shop.py"
env = { SHOP_DB = "{state}/shop.db" }
storage = { kind = "files", prepare = "python3 shop.py migrate" }
"""
SHORT = ("--users", "2", "--phase-duration", "2s", "--warm-up", "0s")
GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_REPOSITORY": "shop/api",
    "GITHUB_RUN_ID": "5",
    "GITHUB_REF": "refs/pull/7/merge",
}
COUNT = """        if self.path == "/items/count":
            return self.reply(200, {"count": len(self.query("SELECT id FROM items"))})
"""
COUNT_PATH = """  /items/count:
    get:
      operationId: countItems
      responses:
        "200":
          description: How many there are
"""
SLOWER = "import time; time.sleep(0.02); "


class Job(NamedTuple):
    """What a job of GitHub Actions leaves: the status of its gate, outputs, summary, and what was printed."""

    status: int
    outputs: Mapping[str, str]
    summary: str
    words: str


def outputs_in(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text("utf-8").splitlines())


class Repository:
    """A git repository with the shop."""

    def __init__(self, root: Path, programs: Path) -> None:
        self.root, self._program = root, programs / "bakeoff"
        named = (*OWN_VARIABLES, PROJECT_VARIABLE, FALLBACK_VARIABLE, "BAKEOFF_RESULTS", "PYTHONPATH", "VIRTUAL_ENV")
        inherited = {name: value for name, value in os.environ.items() if name not in named}
        self._environment = {**inherited, MACHINE_LOCK_VARIABLE: str(root.with_suffix(".lock")), "COLUMNS": "120"}

    def bakeoff(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [self._program, *arguments],
            cwd=self.root, env=self._environment, capture_output=True, text=True, timeout=290, check=False,
        )  # fmt: skip
        assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def job(self, forge: FakeForge, event: str, base: str, *options: str) -> "Job":
        """The steps of the action for an event, as a job of GitHub Actions runs them: its status, outputs and texts."""
        folder = self.root.with_name("runner")
        (folder / "bakeoff").mkdir(parents=True, exist_ok=True)
        if not (folder / "bakeoff" / "bin").exists():
            (folder / "bakeoff" / "bin").symlink_to(self._program.parent)
        files = {name: folder / name for name in ("outputs", "summary")}
        for file in files.values():
            file.write_text("", "utf-8")
        environment = {
            **self._environment,
            **GITHUB,
            "GITHUB_API_URL": forge.url,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_SHA": self._git("rev-parse", "HEAD"),
            "GITHUB_OUTPUT": str(files["outputs"]),
            "GITHUB_STEP_SUMMARY": str(files["summary"]),
            "RUNNER_TEMP": str(folder),
        }
        found = run_step("Find the base", self.root, environment, EVENT_BASE=base)
        assert found.returncode == 0, found.stderr
        commit = outputs_in(files["outputs"])["commit"]
        given = {"AGAINST": commit, "OPTIONS": " ".join(options), "GITHUB_TOKEN": "secret"}
        done = run_step("Gate", self.root, environment, **given)
        words = f"{done.stdout}\n{done.stderr}"
        return Job(done.returncode, outputs_in(files["outputs"]), files["summary"].read_text("utf-8"), words)

    @contextmanager
    def started(self, forge: FakeForge, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
        """A command in a job of GitHub Actions, killed in the end where it still runs."""
        environment = {**self._environment, **GITHUB, "GITHUB_API_URL": forge.url, "GITHUB_TOKEN": "secret"}
        with subprocess.Popen(
            [self._program, *arguments],
            cwd=self.root, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            try:
                yield process
            finally:
                process.kill()

    def processes(self) -> list[psutil.Process]:
        """Processes that run in the repository or name it."""
        found = []
        for process in psutil.process_iter(["cmdline", "cwd"]):
            words = " ".join(process.info["cmdline"] or [])
            if str(self.root) in words or (process.info["cwd"] or "").startswith(str(self.root)):
                found.append(process)
        return found

    def commit(self, subject: str) -> None:
        self._git("add", "-A")
        self._git("commit", "-qm", subject)

    def revert(self) -> None:
        """Takes the last commit back."""
        self._git("revert", "--no-edit", "HEAD")

    def _git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def edit(self, name: str, before: str, after: str) -> None:
        text = (self.root / name).read_text("utf-8")
        changed = re.sub(before, lambda found: found.expand(after), text, count=1)
        assert changed != text, f"{name} has no {before}"
        (self.root / name).write_text(changed, "utf-8")


@pytest.fixture
def repository(tmp_path: Path, programs: Path) -> Iterator[Repository]:
    root = tmp_path / "the shöp of a stranger"
    shutil.copytree(SHOP, root)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    yield Repository(root, programs)


@pytest.mark.xdist_group("stranger")
def test_a_stranger_measures_and_guards_his_service(repository: Repository) -> None:
    repository.commit("A shop")
    repository.bakeoff("init", "--openapi", "openapi.yaml")
    repository.edit("bakeoff.toml", r"(# )?run = .*\n", RUN)
    assert len((repository.root / "bakeoff.toml").read_text("utf-8").splitlines()) < 20
    smoke = repository.bakeoff("run", "smoke").splitlines()
    failed = smoke[0].split().index("failed")
    assert smoke[2].split()[failed] == "0", smoke
    assert "operations/s" in repository.bakeoff("run", "quick", "--rounds", "3", *SHORT)
    assert "listItems" in repository.bakeoff("report", "--format", "markdown", "--output", "-")
    repository.commit("Measure it")
    repository.edit("shop.py", r'(if self\.path == "/items":\n +)', rf"\g<1>{SLOWER}")
    repository.commit("Slower")
    said = repository.bakeoff("gate", "--against", "HEAD~1", "--no-rerun", *SHORT, status=1)
    slower = _failed_operations(said)
    assert slower.keys() == {"listItems"} and "mean" in slower["listItems"], said
    repository.revert()
    # Levels this short on a busy machine may leave a check open, which is no regression.
    repository.bakeoff("gate", "--against", "HEAD~2", "--no-rerun", "--unclear", "pass", *SHORT)
    status = subprocess.run(
        ["git", "status", "--short"], cwd=repository.root, capture_output=True, text=True, check=True
    )
    assert not status.stdout, "results and state stay out of the repository"


def _failed_operations(said: str) -> dict[str, set[str]]:
    """The figures that a gate failed, by the operation at the end of their line's heading."""
    failed: dict[str, set[str]] = {}
    heading = ""
    for line in said.splitlines():
        if not line.startswith("  "):
            heading = line.rpartition(" · ")[2]
        elif line.split()[0] == "failed" and heading in ("listItems", "createItem", "readItem", "login"):
            failed.setdefault(heading, set()).add(line.split()[1])
    return failed


@pytest.mark.xdist_group("stranger")
def test_a_proto_file_is_read_by_the_installed_tool(repository: Repository) -> None:
    service = "service Shop { rpc Read (Item) returns (Item); } message Item { string id = 1; }"
    (repository.root / "shop.proto").write_text(f'syntax = "proto3"; package shop; {service}', "utf-8")
    assert "1 operation: Read" in repository.bakeoff("init", "--proto", "shop.proto")


@pytest.mark.xdist_group("stranger")
def test_the_action_comments_on_each_pull_request(repository: Repository, forge: FakeForge) -> None:
    repository.commit("A shop")
    repository.bakeoff("init", "--openapi", "openapi.yaml")
    repository.edit("bakeoff.toml", r"(# )?run = .*\n", RUN)
    repository.commit("Measure it")
    first = repository.job(forge, "push", "HEAD~1", *SHORT)
    assert (first.status, first.outputs.get("verdict")) == (0, "new"), first.words
    assert "has no bakeoff.toml" in first.summary

    repository.edit("shop.py", r'(if self\.path == "/items":\n +)', rf"\g<1>{SLOWER}")
    repository.edit("shop.py", r'(        if self\.path == "/items":\n)', f"{COUNT}\\g<1>")
    repository.edit("openapi.yaml", r"(  /items:\n)", rf"{COUNT_PATH}\g<1>")
    repository.commit("Slower, and a new operation")
    slower = repository.job(forge, "push", "HEAD~1", "--no-rerun", *SHORT)
    assert (slower.status, slower.outputs.get("verdict")) == (1, "failed"), slower.words
    assert slower.outputs["change"].startswith("-"), slower.words
    assert Path(slower.outputs["report"]).is_file()
    (comment,) = forge.bodies
    assert comment.endswith(slower.summary.rstrip())
    assert "listItems takes" in comment and "| listItems | mean, ms |" in comment
    assert "countItems of the-shop-of-a-stranger" in comment and "does not serve it" in comment
    assert "in turns of a second" in comment


@pytest.mark.xdist_group("stranger")
def test_a_cancelled_gate_leaves_nothing_running(repository: Repository, forge: FakeForge) -> None:
    repository.bakeoff("init", "--openapi", "openapi.yaml")
    repository.edit("bakeoff.toml", r"(# )?run = .*\n", RUN)
    repository.commit("Measure it")
    with repository.started(forge, "gate", "--against", "HEAD", "--comment", "--phase-duration", "60s") as gate:
        assert gate.stderr is not None
        assert any("round 1 of" in line for line in gate.stderr), "it began to measure"
        gate.send_signal(signal.SIGTERM)
        gate.communicate(timeout=60)
    assert gate.returncode == 130
    assert ["was cancelled" in body for body in forge.bodies] == [True]
    psutil.wait_procs(repository.processes(), timeout=30)
    assert [" ".join(each.cmdline()) for each in repository.processes()] == []
    with measuring_lab(Project(repository.root)):
        pass
