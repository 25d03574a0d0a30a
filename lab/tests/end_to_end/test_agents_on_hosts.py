"""Agents on other hosts, over OpenSSH: a right figure, or an invalid run that names what went wrong."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bakeoff_process import bakeoff, bakeoff_started, interrupt
from metrics_databases import metrics, stored
from remote_hosts import DelayedLink, Host, configure, hosts
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.agent_hosts import check_hosts, set_up_hosts
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.engines.manifest import find_engine
from bakeoff.engines.stream import EngineSecond, PhaseStart, Record
from bakeoff.errors import BakeoffError
from bakeoff.options.variant import Variant
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.run import RunResult, Status
from bakeoff.running.contender import Contender
from bakeoff.running.measured_run import measure
from bakeoff.running.modes import Phase
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import choose_targets, find_targets
from bakeoff.workload.loader import load_workload
from build_once import build_once

pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("checkout")]

TARGET = "producer-api-rust-rest"
# A clock that is off by this much takes no part in any figure.
TWENTY_MINUTES_MS = 20 * 60 * 1000


@pytest.fixture(scope="session")
def project(gallery: Project) -> Project:
    """The real checkout: hosts get copies of its programs."""
    return gallery


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Host]]:
    with hosts(tmp_path_factory.mktemp("hosts"), 2) as made:
        yield made


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BAKEOFF_RESULTS", str(tmp_path))
    return tmp_path


class Watching(PlainProgress):
    """Keeps what is printed, and passes on each merged record."""

    def __init__(self, seen: Callable[[Record], None]) -> None:
        super().__init__(Console(quiet=True))
        self.lines: list[str] = []
        self._seen = seen

    def say(self, line: str) -> None:
        self.lines.append(line)

    def record(self, record: Record) -> None:
        self._seen(record)


class Lab:
    """A comparison's way to its runs: hosts checked, set up, and loaded from."""

    def __init__(self, project: Project, server: Server, on: list[Host]) -> None:
        (target,) = choose_targets(find_targets(project), [TARGET])
        engine = find_engine("native")
        for build in (target.build, engine.build):
            build_once(build)
        self._project, self._server = project, server
        self.contender = Contender(target, load_workload(project, target.workload), engine, Variant())
        self.request = ComparisonRequest(
            "quick", "", levels={"agents": [",".join(host.url for host in on)]}, agents_reach=on[0].gateway
        )
        self.said: list[str] = []

    def measured(self, *phases: Phase, seen: Callable[[Record], None] = lambda _: None) -> RunResult:
        progress = Watching(seen)
        check_hosts(self.request, [self.contender])
        places = set_up_hosts(self.request, [self.contender], progress)
        assert self.request.agents_reach is not None
        testbed = Testbed(
            self._project, self._server, progress, places=places, targets_listen_on=self.request.agents_reach
        )
        (variant,) = self.request.variants()
        contender = replace(self.contender, variant=variant)
        result = measure(testbed, RunRequest(contender, "quick", phases))
        self.said = progress.lines
        return result


@pytest.fixture
def lab(project: Project, server: Server, two: list[Host]) -> Lab:
    return Lab(project, server, two)


def assert_right(result: RunResult) -> None:
    """Every count of the run is the same, wherever it was taken."""
    assert result.status is Status.COMPLETED, (result.failure, result.findings)
    assert result.audit is not None and result.total is not None
    assert result.audit.clean and result.audit.ledger_complete
    assert result.audit.acknowledged_operations == result.total.operations > 0
    assert result.audit.entities == result.audit.rows
    assert result.total.errors == {}


def assert_clean(two: list[Host]) -> None:
    assert [host.is_clean() for host in two] == [True, True]


def once_in_a_phase(action: Callable[[], None]) -> Callable[[Record], None]:
    """Acts at the first whole second of a phase."""
    left = [action]

    def seen(record: Record) -> None:
        if isinstance(record, EngineSecond) and left:
            left.pop()()

    return seen


def test_load_comes_from_two_hosts(lab: Lab, two: list[Host], results: Path) -> None:
    result = lab.measured(Phase("Few", 4, 1.0), Phase("More", 8, 1.0))
    assert_right(result)
    assert [phase.virtual_users for phase in result.phases] == [4, 8]
    assert result.settings["agents"] == "2"
    assert result.settings["agents_on"] == "ssh://host1,ssh://host2"
    assert "agent 1 of 2 (ssh://host1): " in result.environment["agents_acknowledged"]
    assert result.environment["agents_start_spread"].endswith(" ms")
    operations = result.total.operations if result.total is not None else 0
    (line,) = [line for line in lab.said if "in the ledgers" in line]
    assert f"merged {operations:,}, in the ledgers {operations:,}" in line
    assert len(list(results.glob("*/*.stream.agent-*.jsonl"))) == 2
    # The engine runs elsewhere: nothing here is sampled in its name.
    assert {sample.role for sample in result.samples} == {"target", "database"}
    assert_clean(two)
    assert [len(list((host.cache / "bakeoff").iterdir())) for host in two] == [1, 1], "copied once, and kept"


def test_a_link_with_latency(lab: Lab, two: list[Host], tmp_path_factory: pytest.TempPathFactory) -> None:
    """100 ms to the second host and back: its agent starts with the first all the same."""
    folder = two[0].temporary.parent
    addresses = {host.name: (host.address, 22) for host in two}
    with DelayedLink(two[1].address, 22, 0.05) as link:
        configure(folder, {**addresses, two[1].name: ("127.0.0.1", link.port)})
        try:
            result = lab.measured(Phase("Few", 4, 1.0), Phase("More", 8, 1.0))
        finally:
            configure(folder, addresses)
    assert_right(result)
    assert result.machine_state is not None and result.machine_state.agents_apart_ms is not None
    assert_clean(two)


def test_an_agent_that_is_killed(lab: Lab, two: list[Host]) -> None:
    def kill() -> None:
        (pid,) = two[1].engines()
        os.kill(pid, signal.SIGKILL)

    result = lab.measured(Phase("Long", 4, 60.0), seen=once_in_a_phase(kill))
    assert result.status is Status.FAILED
    words = "Agent 2 of 2 (ssh://host2): The engine native ended with status 137 and no end record"
    assert result.failure is not None and words in result.failure
    assert_clean(two)


def test_an_agent_that_stops_for_five_seconds(lab: Lab, two: list[Host]) -> None:
    timers: list[threading.Timer] = []

    def stop() -> None:
        (pid,) = two[1].engines()
        os.kill(pid, signal.SIGSTOP)
        timers.append(threading.Timer(5.0, os.kill, (pid, signal.SIGCONT)))
        timers[0].start()

    result = lab.measured(Phase("Long", 4, 60.0), seen=once_in_a_phase(stop))
    timers[0].join()
    assert result.status is Status.FAILED
    assert result.failure is not None
    assert "Agent 2 of 2 (ssh://host2) stalled: no record of it arrived for 4 s in phase" in result.failure
    assert_clean(two)


def test_an_agent_whose_disk_is_full(lab: Lab, two: list[Host]) -> None:
    done = two[1].files("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(two[1].temporary))
    if done.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
    try:
        result = lab.measured(Phase("Ample", 8, iterations=20_000))
        assert_clean(two)
    finally:
        assert two[1].files("umount", str(two[1].temporary)).returncode == 0
    assert result.status is Status.FAILED
    assert result.failure is not None and "Agent 2 of 2 (ssh://host2): " in result.failure
    assert "No space left on device" in result.failure


def test_an_agent_whose_link_loses_packets(lab: Lab, two: list[Host]) -> None:
    two[1].loses_one_packet_in_a_hundred()
    try:
        result = lab.measured(Phase("Few", 4, 1.0), Phase("More", 8, 1.0))
    finally:
        two[1].run("nft", "delete table inet loss")
    # TCP sends again what was lost: it costs time and no request.
    assert_right(result)
    assert_clean(two)


def test_an_agent_whose_clock_is_wrong(lab: Lab, two: list[Host], monkeypatch: pytest.MonkeyPatch) -> None:
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        pytest.skip("there is no libfaketime (Debian: apt-get install libfaketime)")
    from bakeoff.engines import ssh

    wrong = f'if [ "$TMPDIR" = "{two[1].temporary}" ]; then export LD_PRELOAD={library} FAKETIME=+20m; fi\n'
    monkeypatch.setattr(ssh, "_RUN", wrong + ssh._RUN)
    began_ns = time.time_ns()
    result = lab.measured(Phase("Few", 4, 1.0), Phase("More", 8, 1.0))
    assert_right(result)
    first, second = result.environment["agents_clock_offset"].split(", ")
    assert "(ssh://host1): +0." in first or "(ssh://host1): -0." in first, first
    offset_ms = float(second.split(": ")[1].split(" ms")[0])
    assert abs(offset_ms - TWENTY_MINUTES_MS) < 60_000, second
    # Phases are where the lab's clock says, so that samples of CPU belong to them.
    assert all(began_ns < phase.begin_ns < phase.end_ns < time.time_ns() for phase in result.phases)


def test_a_lab_that_is_killed_leaves_nothing(project: Project, two: list[Host], tmp_path: Path, lab: Lab) -> None:
    """By SIGKILL, which it cannot answer."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom bakeoff.engines.ssh import Ssh\n"
        "from bakeoff.options.ssh_host import ssh_host\nfrom bakeoff.engines.agents import Agents\n"
        "from bakeoff.engines.manifest import find_engine\nfrom bakeoff.project import find_project\n"
        "from bakeoff.workload.loader import load_workload\nfrom bakeoff.workload.plan import Load, compile_plan\n"
        "from bakeoff.workload.plan_records import PlannedPhase\n"
        "project, folder = find_project(), Path(sys.argv[1])\nengine = find_engine('native')\n"
        "places = [Ssh(ssh_host(url)) for url in sys.argv[2:]]\n"
        "for place in places: place.install(engine)\n"
        "phase = PlannedPhase(name='Long', virtual_users=4, duration_ms=600_000)\n"
        "load = Load('t', 'http', '127.0.0.1', 9, 'm', [phase], ledger=folder / 'ledger')\n"
        "plan = compile_plan(load_workload(project, 'events'), load)\n"
        "files = [folder / name for name in ('plan.json', 'x.stream.jsonl', 'x.engine.log')]\n"
        "with Agents(engine, plan, *files, places) as agents:\n"
        "    agents.records(lambda record: print(type(record).__name__, flush=True))\n"
    )
    own = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path), *(host.url for host in two)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=project.root,
    )
    assert own.stdout is not None
    seen = next(line for line in own.stdout if line.startswith(PhaseStart.__name__))
    assert seen and [len(host.engines()) for host in two] == [1, 1]
    assert [len(list(host.temporary.iterdir())) for host in two] == [1, 1]
    own.kill()
    own.wait()
    own.stdout.close()
    assert_clean(two)


OPTIONS = ("--users", "4", "--warm-up", "0", "--settle", "0", "--target", TARGET)


def commanded(two: list[Host], *options: str) -> list[str]:
    agents = ",".join(host.url for host in two)
    return ["run", "quick", *OPTIONS, "--agents", agents, "--agents-reach", two[0].gateway, *options]


def test_a_whole_command(project: Project, two: list[Host], results: Path, database: Server) -> None:
    """Conformance, smoke run and rounds, with the target on an address that the hosts reach."""
    done = bakeoff(project, *commanded(two, "--phase-duration", "2s"), results=results, environment=metrics(database))
    assert done.returncode == 0, done.stdout + done.stderr
    shown = " ".join(done.stderr.split())
    assert "acknowledged by 2 agents" in shown and "in the ledgers" in shown, done.stderr
    assert stored(database, "SELECT DISTINCT status FROM test_runs") == [("completed",)]
    assert_clean(two)


def test_ctrl_c_ends_agents_in_order(project: Project, two: list[Host], results: Path, database: Server) -> None:
    started = bakeoff_started(
        project, *commanded(two, "--phase-duration", "10m"), results=results, environment=metrics(database)
    )
    deadline = time.monotonic() + 120
    stream = "*/*.stream.agent-2.jsonl"
    while not any('"type":"second"' in path.read_text() for path in results.glob(stream)):
        assert started.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)
    interrupt(started)
    said, _ = started.communicate(timeout=120)
    assert started.returncode == 130, said
    assert stored(database, "SELECT status FROM test_runs ORDER BY id DESC LIMIT 1") == [("interrupted",)]
    assert_clean(two)


def test_a_host_that_does_not_answer_is_refused_before_building(lab: Lab) -> None:
    unreachable = replace(lab.request, levels={"agents": ["ssh://nowhere.invalid"]})
    with pytest.raises(BakeoffError, match=r"ssh://nowhere.invalid: .*Could not resolve hostname.*ssh configuration"):
        check_hosts(unreachable, [lab.contender])
