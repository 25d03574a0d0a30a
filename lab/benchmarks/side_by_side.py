"""Ratios that are no comparison of targets: `python lab/benchmarks/side_by_side.py FILE [ROUNDS] [SECONDS]`.

A file of gallery/experiments/side-by-side names servers (built targets with their settings, or programs such as a
framework's minimal example), what is sent to each, by our engine or by another load generator, statements for pgbench,
and the ratios that are asked for. The sides take turns in interleaved rounds; each ratio is that of operations per
second, with
its interval and its goal. CPU is that of the server's processes. Neither conformance nor audit: `./bakeoff run` has
both. The machine must be quiet.
"""

import contextlib
import math
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median

from clone import project_here
from msgspec.structs import replace as with_members
from rich.console import Console
from side_by_side_file import Before, DeclaredRatio, DeclaredServer, Side, SideBySide, Tool, read

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.preparation import build
from bakeoff.engines.agents import alone
from bakeoff.engines.client import client_of
from bakeoff.engines.manifest import Engine, find_engine
from bakeoff.engines.stream import PhaseEnd
from bakeoff.errors import BakeoffError
from bakeoff.judging.estimates import ratio_of
from bakeoff.judging.pairings import log_ratios
from bakeoff.postgres.binaries import find_installation
from bakeoff.postgres.databases import application_database
from bakeoff.postgres.server import Server
from bakeoff.processes import children, ports
from bakeoff.project import Project
from bakeoff.running.fresh_state import store_seed
from bakeoff.running.lock import measuring_lab
from bakeoff.sampling.process_tree import ProcessTree
from bakeoff.targets.access import LOOPBACK
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import Target, choose_targets, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.targets.settings import variables_of
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import Plan, PlannedPhase
from bakeoff.workload.reuse import Reuse

_PROGRESS = re.compile(r"^progress: [0-9.]+ s, ([0-9.]+) tps", re.MULTILINE)
_STOPS_WITHIN_S = 12.0
_LISTENS_WITHIN_S = 60.0
# Requests that fail measure something else than the operation.
_MOST_FAILED = 0.001


@dataclass(frozen=True)
class Figures:
    """The figures of one turn; CPU of the server's processes, where it has any."""

    per_s: float
    cpu_us: float | None = None


def main() -> None:
    """Prints each turn, then the sides and the ratios."""
    if len(sys.argv) < 2:
        raise BakeoffError("Name a file: python lab/benchmarks/side_by_side.py FILE [ROUNDS] [SECONDS].")
    file = Path(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 5.0
    declared = read(file)
    for line in lines_of(declared, measure(project_here(), declared, rounds, seconds)):
        print(line)


def measure(project: Project, declared: SideBySide, rounds: int, seconds: float) -> Mapping[str, Mapping[int, Figures]]:
    """The figures of each side by round, printed as they come."""
    check_installed(declared.tools)
    with tempfile.TemporaryDirectory() as folder, measuring_lab(project), _databases(project, declared) as databases:
        return _Bench(project, declared, databases, Path(folder)).measure(rounds, seconds)


def check_installed(tools: Sequence[Tool]) -> None:
    """Before anything is built: whether there is a program for each."""
    for tool in tools:
        if shutil.which(tool.command[0]) is None:
            raise BakeoffError(f"The tool {tool.name} needs {tool.command[0]}: install it.")


def rate_of(side: Side, tool: Tool, printed: str) -> float:
    """The requests per second that a tool printed."""
    found, failed = re.search(tool.per_s, printed), re.search(tool.failed, printed)
    if failed is not None:
        raise BakeoffError(f"{side.name}: requests failed: {failed.group().strip()}.")
    if found is None:
        raise BakeoffError(f"{side.name}: {tool.command[0]} printed nothing like {tool.per_s!r}:\n{printed[-2000:]}")
    try:
        return float(found.group(1))
    except ValueError as error:
        raise BakeoffError(f"{side.name}: {found.group(1)!r} is no rate: correct per_s.") from error


@contextlib.contextmanager
def _databases(project: Project, declared: SideBySide) -> Iterator[Mapping[str, Server]]:
    """A new database for each that is declared."""
    if not declared.databases:
        yield {}
        return
    with application_database(project) as server:
        names = [f"side_by_side_{each.name}" for each in declared.databases]
        drop = [f"DROP DATABASE IF EXISTS {name} WITH (FORCE)" for name in names]
        for statement in [*drop, *(f"CREATE DATABASE {name}" for name in names)]:
            server.execute_script(statement)
        made = (replace(server.in_database(name), targets_url=None) for name in names)
        try:
            yield dict(zip((each.name for each in declared.databases), made, strict=True))
        finally:
            for statement in drop:
                server.execute_script(statement)


class _Program:
    """A program of the file as a server: listening on entry, ended on exit."""

    def __init__(self, project: Project, declared: DeclaredServer, database: Server | None, log: Path) -> None:
        self._declared = declared
        self._directory = project.root / declared.directory
        self._environment = {} if database is None else {"DATABASE_URL": database.url}
        self._log = log
        self.port = ports.free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "_Program":
        command = [word.format(port=self.port) for word in self._declared.command]
        own = {name: value.format(port=self.port) for name, value in self._declared.environment.items()}
        environment = {**self._environment, **own}
        self._process = children.start(command, log=self._log, environment=environment, directory=self._directory)
        children.wait_until_listening(self._process, self.port, self._log, _LISTENS_WITHIN_S)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        children.stop(self._process, signal.SIGTERM, _STOPS_WITHIN_S)
        children.kill_session(self._process)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid


class _Bench:
    """The parts of a measurement that only make sense together."""

    def __init__(self, project: Project, declared: SideBySide, databases: Mapping[str, Server], folder: Path) -> None:
        self._project, self._declared, self._databases, self._folder = project, declared, databases, folder
        self._progress = PlainProgress(Console(stderr=True))
        self._engine: Engine = find_engine("native")
        workload = load_workload(project, declared.workload)
        operations = [*workload.declared.operations, *declared.operations]
        self._workload = replace(workload, declared=with_members(workload.declared, operations=operations))
        self._targets = find_targets(project)
        self._tools = {tool.name: tool for tool in declared.tools}
        self._servers = {server.name: server for server in declared.servers}
        self._running: dict[str, TargetProcess | _Program] = {}
        self._plans = 0

    def measure(self, rounds: int, seconds: float) -> Mapping[str, Mapping[int, Figures]]:
        """The figures of each side by round."""
        measured: dict[str, dict[int, Figures]] = {side.name: {} for side in self._declared.sides}
        with contextlib.ExitStack() as stack:
            self._build()
            for server in self._declared.servers:
                if not server.restarts:
                    self._running[server.name] = stack.enter_context(self._server(server))
            self._prepare()
            for number in range(rounds):
                for side in order_of(self._declared.sides, number):
                    figures = self._turn(side, seconds)
                    measured[side.name][number] = figures
                    print(f"round {number + 1}, {side.name}: {_words(figures)}", flush=True)
        return measured

    def _build(self) -> None:
        """Stale builds of the engine and the targets, and each program once."""
        named = {server.target or server.beside for server in self._declared.servers} - {None}
        targets = [self._target(name) for name in sorted(each for each in named if each)]
        build([self._engine.build, *(target.build for target in targets)], self._progress)
        for directory, command in dict.fromkeys((each.directory, tuple(each.build)) for each in self._declared.servers):
            if command:
                subprocess.run(command, cwd=self._project.root / directory, check=True)

    def _prepare(self) -> None:
        """Fills databases and sends what sides send before their first turn."""
        for database in self._declared.databases:
            server = self._databases[database.name]
            if database.seed or database.fill is not None:
                self._progress.step(f"Filling the database {database.name}")
                if database.seed:
                    server.execute_script(self._workload.sql("schema") or "")
                    store_seed(self._workload, server)
                server.execute_script(database.fill or "")
                with server.connect() as connection:
                    connection.execute("VACUUM ANALYZE")
            server.checkpoint()
        for side in self._declared.sides:
            if side.before is not None and side.server in self._running:
                self._send_before(side, side.before)

    def _send_before(self, side: Side, before: Before) -> None:
        users, held_ms = self._users(side), None if before.requests else round(before.seconds * 1000)
        phase = PlannedPhase(name="Before", virtual_users=users, iterations=before.requests, duration_ms=held_ms)
        self._ends(side, self._plan(side, before.send or side.send, [phase]))

    def _turn(self, side: Side, seconds: float) -> Figures:
        if side.pgbench is not None:
            return Figures(self._statements_per_s(side, side.pgbench, seconds))
        assert side.server is not None
        server = self._servers[side.server]
        if not server.restarts:
            return self._load(side, seconds)
        with self._server(server) as running:
            self._running[server.name] = running
            if side.before is not None:
                self._send_before(side, side.before)
            return self._load(side, seconds)

    def _load(self, side: Side, seconds: float) -> Figures:
        if side.tool is not None:
            tool = self._tools[side.tool]
            self._rate_by(side, tool, self._declared.warm_up_s)
            return Figures(self._rate_by(side, tool, seconds))
        users = self._users(side)
        phases = [
            PlannedPhase(name=name, virtual_users=users, duration_ms=round(held * 1000))
            for name, held in (("Warm-up", self._declared.warm_up_s), ("Measured", seconds))
        ]
        tree = ProcessTree(self._running[side.server or ""].pid)
        before = tree.usage()
        ends = self._ends(side, self._plan(side, side.send, phases))
        after = tree.usage()
        last = ends[-1]
        assert last.planned_ns is not None
        per_s = (last.operations - (last.operations_late or 0)) / (last.planned_ns / 1e9)
        if before is None or after is None:
            raise BakeoffError(f"{side.server} ended while it was measured.")
        return Figures(per_s, (after.cpu_s - before.cpu_s) * 1e6 / max(1, sum(end.operations for end in ends)))

    def _rate_by(self, side: Side, tool: Tool, seconds: float) -> float:
        port = self._running[side.server or ""].port
        command = tool.filled(url=f"http://{LOOPBACK}:{port}", users=self._users(side), seconds=seconds)
        log = self._project.logs / "side-by-side-tool.log"
        process = children.start(command, log=log, directory=self._project.root)
        status = process.wait()
        children.stop(process, signal.SIGTERM, _STOPS_WITHIN_S)
        if status != 0:
            raise BakeoffError(f"{side.name}: {command[0]} ended with status {status}:\n{children.last_lines(log)}")
        return rate_of(side, tool, log.read_text("utf-8"))

    def _ends(self, side: Side, plan: Plan) -> list[PhaseEnd]:
        files = self._folder / "plan.json", self._folder / "stream.jsonl"
        log = self._project.logs / "side-by-side-engine.log"
        with alone(self._engine, plan, *files, log) as process:
            ends = [each for each in process.records(lambda _record: None) if isinstance(each, PhaseEnd)]
        for end in ends:
            if end.failed > _MOST_FAILED * end.sent:
                raise BakeoffError(f"{side.name}: {end.failed:,} of {end.sent:,} requests failed: {dict(end.errors)}.")
        return ends

    def _plan(self, side: Side, send: Mapping[str, int], phases: Sequence[PlannedPhase]) -> Plan:
        assert side.server is not None
        # Entities of different turns must differ.
        self._plans += 1
        server = self._servers[side.server]
        protocol = server.protocol or self._target(server.target).protocol
        port = self._running[side.server].port
        declared = with_members(self._workload.declared, mixes={"sent": send})
        load = Load(
            target=side.server,
            protocol="grpc" if protocol == "grpc" else "http",
            host=LOOPBACK,
            port=port,
            mode="side-by-side",
            phases=phases,
            run=f"{self._plans:08x}",
            mix="sent" if send else None,
            reuse=Reuse(share=side.reuse),
        )
        return compile_plan(replace(self._workload, declared=declared), load)

    def _users(self, side: Side) -> int:
        return side.users or self._declared.users

    def _target(self, name: str | None) -> Target:
        (target,) = choose_targets(self._targets, [name or ""])
        return target

    @contextlib.contextmanager
    def _server(self, declared: DeclaredServer) -> Iterator[TargetProcess | _Program]:
        """A server, ready while the block lasts."""
        database = None if declared.database is None else self._databases[declared.database]
        log = self._project.logs / f"side-by-side-{re.sub(r'[^a-z0-9]+', '-', declared.name.lower())}.log"
        if declared.target is None:
            with _Program(self._project, declared, database, log) as program:
                yield program
            return
        target = self._target(declared.target)
        check = health_check(self._workload, target.protocol, client_of())
        settings = variables_of(target, declared.settings)
        with TargetProcess(target, database, check, log, settings=settings) as process:
            yield process

    def _statements_per_s(self, side: Side, script: str, seconds: float) -> float:
        """The mean of the last seconds: in the first, connections are made and statements prepared."""
        file, log = self._folder / "statement.sql", self._project.logs / "side-by-side-pgbench.log"
        file.write_text(script, "utf-8")
        measured_s = max(1, round(seconds))
        command = [
            str(find_installation(self._project).programs / "pgbench"),
            *("--no-vacuum", "--protocol=prepared", "--jobs=2", f"--client={self._users(side)}", "--progress=1"),
            *(f"--time={math.ceil(self._declared.warm_up_s) + measured_s}", f"--file={file}"),
        ]
        database = self._databases[side.database or next(iter(self._databases))]
        with database.for_programs(self._folder / "pgpass") as (connection, environment):
            process = children.start([*command, connection], log=log, environment=environment)
            status = process.wait()
            children.stop(process, signal.SIGTERM, _STOPS_WITHIN_S)
        by_second = [float(rate) for rate in _PROGRESS.findall(log.read_text("utf-8"))]
        if status != 0 or not by_second:
            raise BakeoffError(
                f"{side.name}: pgbench ended with status {status}; correct its statements:\n{children.last_lines(log)}"
            )
        return mean(by_second[-measured_s:])


def order_of(sides: Sequence[Side], number: int) -> list[Side]:
    """Each round begins with another side, every second one runs backwards: no side always follows the same one."""
    start = number // 2 % len(sides)
    turned = [*sides[start:], *sides[:start]]
    return turned[::-1] if number % 2 else turned


def lines_of(declared: SideBySide, measured: Mapping[str, Mapping[int, Figures]]) -> list[str]:
    """The question, a line for each side, and one for each ratio."""
    lines = [declared.question]
    for name, by_round in measured.items():
        costs = [each.cpu_us for each in by_round.values() if each.cpu_us is not None]
        middle = Figures(median(each.per_s for each in by_round.values()), median(costs) if costs else None)
        lines.append(f"  {name}: {_words(middle)}")
    return lines + [_ratio_line(ratio, measured) for ratio in declared.ratios]


def _ratio_line(ratio: DeclaredRatio, measured: Mapping[str, Mapping[int, Figures]]) -> str:
    found = ratio_of(list(log_ratios(_best(ratio.of, measured), _best(ratio.to, measured)).values())).ratio
    between = (
        ""
        if found.low is None or found.high is None
        else f" ({found.interval_name} {found.low:.3f} to {found.high:.3f})"
    )
    line = f"{' or '.join(ratio.of)} ÷ {' or '.join(ratio.to)}: {found.median:.3f}×{between}"
    if ratio.goal is None:
        return line
    return f"{line}, goal ≥ {ratio.goal:g}: {'met ✅' if found.median >= ratio.goal else 'missed ❌'}"


def _best(names: Sequence[str], measured: Mapping[str, Mapping[int, Figures]]) -> dict[int, float]:
    """The rate of the fastest side in each round."""
    return {number: max(measured[name][number].per_s for name in names) for number in measured[names[0]]}


def _words(figures: Figures) -> str:
    cost = "" if figures.cpu_us is None else f", {figures.cpu_us:.1f} µs of CPU each"
    return f"{figures.per_s:,.0f}/s{cost}"


if __name__ == "__main__":
    try:
        main()
    except BakeoffError as error:
        sys.exit(f"error: {error.message}")
