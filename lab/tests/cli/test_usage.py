"""Commands that need no database: help, and what is wrong with a command line."""

import gc
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from bakeoff_process import OWN_VARIABLES, bakeoff

from bakeoff import __version__
from bakeoff.cli.main import main
from bakeoff.project import Project


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


@dataclass(frozen=True)
class Called:
    """How a command ended, and what it printed to standard error."""

    status: object
    stderr: str


@pytest.fixture
def called_here(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Called]]:
    """Calls a command in this process, whose modules are loaded: starting one costs a second."""
    signals = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    collections = gc.get_threshold()
    for name in OWN_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BAKEOFF_RESULTS", str(results))
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Called:
        monkeypatch.setattr(sys, "argv", ["./bakeoff", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        return Called(left.value.code, capsys.readouterr().err)

    yield call
    gc.set_threshold(*collections)
    for number, handler in signals.items():
        signal.signal(number, handler)


def test_version(project: Project, results: Path) -> None:
    done = bakeoff(project, "--version", results=results)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"bakeoff {__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_shows_examples(project: Project, results: Path, arguments: list[str]) -> None:
    done = bakeoff(project, *arguments, results=results)
    assert done.returncode == 0
    assert "./bakeoff run smoke" in done.stdout
    for command in ("run", "targets", "build", "up", "conform", "test"):
        assert f"\n  {command} " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], "No such command 'frobnicate'. Try ./bakeoff --help."),
        (["comform"], "Did you mean ./bakeoff conform? Try ./bakeoff --help."),
        (["compare"], "Did you mean ./bakeoff runs compare? Try ./bakeoff --help."),
        (["runs", "compar"], "Did you mean 'compare'? Try ./bakeoff runs --help."),
        (["run", "smoke", "--targets", "a"], "Did you mean --target? Try ./bakeoff run --help."),
        (["run"], "Missing argument"),
        (["run", "smoke", "--bogus"], "No such option: --bogus"),
        (["run", "fast"], 'no mode "fast". Modes: smoke, quick, full, saturation'),
        (["run", "smoke", "--target", "missing"], 'no target "missing". Targets: ingest-grpc'),
        (
            ["run", "smoke", "--target", "ingest-rest, missing"],
            'no target "missing". Targets: ingest-grpc',
        ),
        (["run", "smoke", "--payload", "5k"], 'no payload "5k". Payloads of events: default, 4k'),
        (["run", "smoke", "--engine", "wrk"], 'no engine "wrk". Engines: '),
        (
            ["run", "smoke", "--write-mode", "never"],
            '--write-mode: unknown value "never": use group-commit or',
        ),
        (["run", "full", "--phase-duration", "soon"], '--phase-duration: "soon" is not a duration'),
        (["run", "quick", "--users", "10,many"], '"10,many": write numbers'),
        (["run", "smoke", "--users", "10"], "--users needs a mode whose phases have a duration"),
        (["run", "smoke", "--set", "pool_size"], '"pool_size": write name=value'),
        (["run", "smoke", "--engine", "k6", "--stream"], "The engine k6 cannot do --stream"),
        (["run", "smoke", "--batch", "0"], '--batch: "0" is not a whole number from 1 to 10,000'),
        (["run", "rate"], "The mode rate needs arrival rates: --rate 1000,5000"),
        (["run", "rate", "--rate", "fast"], '--rate: "fast"'),
        (["run", "quick", "--rate", "5"], "--rate belongs to the modes rate and equal"),
        (["run", "quick", "--arrivals", "poisson"], "--arrivals belongs to the modes rate and equal"),
        (["run", "equal", "--rate", "1000,2000"], "Mode equal applies one rate to all contenders"),
        (["run", "equal", "--users", "16,64"], "In the mode equal --users is one number"),
        (["run", "equal", "--payload", "default,4k"], "An equal load has one rate for messages of one size"),
        (
            ["run", "equal", "--think-time", "10ms"],
            "--think-time cannot be combined with the mode equal",
        ),
        (["run", "equal", "--requests", "100"], "--requests belongs to the mode count"),
        (["run", "equal", "--slo", "p99<50ms"], "--slo belongs to the mode rate"),
        (
            ["run", "equal", "--target", "ingest-rest,users-grpc"],
            "Mode equal measures one workload: add --workload events or --workload users.",
        ),
        (["run", "quick", "--resume", "--rounds", "9", "--set", "a=b"], "leave out quick, --rounds, --set, or"),
        (["run", "quick", "--threshold", "p95"], '--threshold is "p95"'),
        (["run", "quick", "--threshold", "p42<2s"], 'unknown metric "p42"'),
        (["run", "quick", "--threshold", "errors<5"], "errors are limited in per cent"),
        (["run", "quick", "--profile", "-t", "ingest-rest"], "compares the CPU of two contenders"),
        (["run", "quick", "--for", "5m", "--rounds", "3"], "--for cannot be combined with --rounds"),
        (["run", "smoke", "--for", "5m"], "--for cannot be combined with the mode smoke"),
        (["run", "rate", "--slo", "p99<1s", "--threshold", "p99<2s"], "--threshold cannot be combined with --slo"),
        (["run", "nothing.toml"], "nothing.toml cannot be read: No such file"),
        (["run", "smoke", "--zipf", "9"], '--zipf: "9" is not a number from 0 to 3'),
        (["run", "smoke", "--attach", "intake-rest"], "write TARGET=http://host:port"),
        (["run", "smoke", "--attach", "missing=http://127.0.0.1:1"], 'no target "missing"'),
        (
            ["run", "smoke", "--attach", "intake-rest=http://127.0.0.1:1", "--tls"],
            "--tls cannot be combined with --attach: an https:// address of an attached target uses TLS",
        ),
        (["run", "quick", "--agents-reach", "10.0.0.1"], "--agents-reach needs --agents: name other hosts, such as"),
        (["run", "quick", "--in", "kubernetes"], "--in needs --attach: kubectl apply --kustomize deploy/kubernetes"),
        (["run", "smoke", "--container", "postgres"], '--container: "postgres": write TARGET=container'),
        (["run", "smoke", "--container", "intake-rest=api"], "needs --attach intake-rest=http://"),
        (["run", "smoke", "--container", "database=postgres"], "set DATABASE_URL"),
        (["run", "quick", "--agents", "11"], "the phase Baseline has 10 users to divide"),
        (
            ["run", "quick", "--agents", "ssh://host1", "--engine", "k6"],
            "The engine k6 is more than one program, and one is what ssh:// hosts are given",
        ),
        (["run", "smoke", "--limit-memory", "much"], '--limit-memory: "much"'),
        (["plan"], "Missing argument"),
        (["plan", "smoke", "--target", "missing"], 'no target "missing"'),
        (["plan", "smoke", "--resume"], "--resume belongs to ./bakeoff run"),
        (["plan", "smoke", "-t", "intake-rest,intake-grpc"], "A plan is for one target, and this"),
        (["conform", "missing"], 'no target "missing"'),
        (["up", "missing"], 'no target "missing"'),
        (["up"], "up needs targets, such as ./bakeoff up shop-api, or --database-only"),
        (["up", "ingest-rest", "--database-only"], "--database-only starts no target"),
        (["up", "ingest-rest", "intake-rest", "--port", "80"], "--port belongs to one target"),
        (["up", "ingest-rest", "--bind", "localhost"], '--bind is "localhost": write an IP address'),
        (["up", "ingest-rest", "--bind", "10.0.0.1", "--tls"], "--tls has a certificate for loopback"),
        (["sql", "SELECT 1", "SELECT 2"], "unexpected extra argument"),
        (["sql", "--database", "metrics"], "No such option: --database"),
        (["logs"], "Missing argument"),
        (["logs", "missing"], 'no target "missing"'),
        (["logs", "intake-rest", "--lines", "0"], "--lines"),
        (["runs", "frobnicate"], "No such command 'frobnicate'"),
        (["runs", "list", "--limit", "0"], "--limit"),
        (["runs", "list", "--limit", "many"], "--limit"),
        (["runs", "show"], "Missing argument"),
        (["runs", "show", "first"], '"first" is neither a run (42) nor a comparison (c7 or latest)'),
        (["runs", "show", "7c"], '"7c" is neither a run'),
        (["report", "first"], '"first" is not a comparison: write c6, 6 or latest'),
        (["report", "c"], '"c" is not a comparison'),
        (["conform", "--attach", "intake-rest"], "--attach: "),
        (
            ["conform", "--attach", "intake-rest=http://127.0.0.1:1", "--write-mode", "per-request"],
            "--set cannot be combined with --attach",
        ),
        (["conform", "--attach", "missing=http://127.0.0.1:1"], 'no target "missing"'),
        (["conform", "--attach", "intake-rest=ftp://127.0.0.1:1"], "is not an address of a target"),
        (
            ["conform", "--attach", "intake-rest=http://127.0.0.1:1"],
            "set DATABASE_URL to the database that it uses",
        ),
        (["runs", "export", "1", "--format", "xml"], '--format is "xml": use json or csv'),
        (["runs", "compare", "1"], "runs compare needs two or more"),
        (["runs", "cleanup"], "needs a rule: --days 30, --keep 100, or both"),
        (["runs", "cleanup", "--days", "-1"], "--days"),
        (["runs", "cleanup", "--days", "1e20"], "it must be less than or equal to 36500"),
        (["runs", "cleanup", "--files"], "needs a rule: --days 30"),
        (["runs", "cleanup", "--keep", "1", "--target"], "--target"),
        (["runs", "summary", "--mode", "quick"], "belong to runs summary --comparison"),
        (["runs", "trend"], "--target"),
        (
            ["runs", "trend", "--target", "a", "--metric", "speed"],
            '--metric is "speed": use throughput, mean',
        ),
        (["gate", "--goals", "nowhere.toml"], "nowhere.toml cannot be read"),
        (
            ["gate", "--against", "HEAD", "--for", "1s"],
            '"1s" is not a duration: write 500ms, 10s or 2m, and at least 2',
        ),
        (["gate", "--against", "HEAD", "--throughput", "1e20"], "it must be less than or equal to 100. Try"),
        (["gate", "--against"], "requires an argument. Try ./bakeoff gate --help."),
        (["hit"], "name a URL, such as"),
        (["hit", "http://127.0.0.1:1/", "-z", "-1s"], '--duration: "-1s" is not a duration'),
        (["hit", "http://127.0.0.1:1/", "-u", "6x"], "it must be a whole number. Try"),
        (["run", "quick", "--rounds", "３"], '"３" is not a whole number'),
        (["run", "quick", "--phase-duration", "１０s"], '"１０s" is not a duration'),
        (["run", "rate", "--rate", "１０"], '"１０"'),
        (["completion", "tcsh"], "Shells: bash, zsh, fish"),
        (["test", "--only", "nothing"], 'no check "nothing". Checks: '),
    ],
)
def test_a_wrong_command_is_one_paragraph(
    called_here: Callable[..., Called], results: Path, arguments: list[str], words: str
) -> None:
    done = called_here(*arguments)
    assert done.status == 2
    assert words in done.stderr
    assert done.stderr.startswith("bakeoff: ")
    assert "Traceback" not in done.stderr
    assert not results.exists()


def test_a_wrong_command_ends_the_launcher_with_its_status(project: Project, results: Path) -> None:
    done = bakeoff(project, "frobnicate", results=results)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("bakeoff: No such command 'frobnicate'")


@pytest.mark.skipif(Path("/sys/fs/cgroup/cgroup.subtree_control").exists(), reason="limits may be possible here")
@pytest.mark.parametrize("limit", [("--limit-cpus", "2"), ("--limit-memory", "2G")])
def test_limits_that_this_machine_cannot_hold_are_refused(
    project: Project, results: Path, limit: tuple[str, str]
) -> None:
    done = bakeoff(project, "run", "smoke", "--target", "ingest-rest", *limit, results=results)
    assert done.returncode == 1
    assert done.stderr.startswith("bakeoff: --limit-cpus and --limit-memory need cgroup version 2")
    assert not results.exists()


def test_the_launcher_works_through_a_link_from_a_path_with_spaces(clone: Project, tmp_path: Path) -> None:
    link = tmp_path / "a link" / "bake off"
    link.parent.mkdir()
    link.symlink_to(clone.root / "bakeoff")
    done = subprocess.run([str(link), "--version"], cwd="/", capture_output=True, text=True, check=False)
    assert done.stdout == f"bakeoff {__version__}\n"


def test_the_launcher_says_when_there_is_no_python(clone: Project, tmp_path: Path) -> None:
    root = tmp_path / "a checkout"
    (root / "lab").mkdir(parents=True)
    for name in ("uv.lock", "pyproject.toml"):
        shutil.copy(clone.root / "lab" / name, root / "lab" / name)
    shutil.copy(clone.root / "bakeoff", root / "bakeoff")
    programs = tmp_path / "programs"
    programs.mkdir()
    for program in ("sh", "dirname", "readlink", "cksum", "cat", "mkdir"):
        found = shutil.which(program)
        assert found is not None
        (programs / program).symlink_to(found)
    done = subprocess.run(
        [str(root / "bakeoff"), "--version"], env={"PATH": str(programs)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Python 3.11 or newer was not found on PATH" in done.stderr


def test_a_command_loads_no_package_that_only_others_need() -> None:
    script = "import sys, bakeoff.cli.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert {"jinja2", "numpy", "psutil", "psycopg", "rich"} & set(done.stdout.split()) == set()
