"""`bakeoff up`."""

import json
import shlex

from rich.console import Console

from bakeoff.cli.progress import shown_on
from bakeoff.cli.run_options import write_mode_of
from bakeoff.comparing.preparation import build, buildable
from bakeoff.errors import BakeoffError
from bakeoff.postgres.databases import application_database
from bakeoff.project import find_project
from bakeoff.running.contender import protocol_of
from bakeoff.running.lock import only_lab
from bakeoff.running.service import variables_of
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import choose_targets, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, Plan, compile_plan
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render


def keep_up(name: str, port: int | None, write_mode: str | None) -> None:
    """Builds and starts one target, prints an example request, and waits for Ctrl-C."""
    wanted = write_mode_of(write_mode)
    project = find_project()
    console = Console(markup=False, highlight=False, soft_wrap=True)
    target = buildable(choose_targets(find_targets(project), [name]), True, lambda *_: None)[0]
    workload = load_workload(project, target.workload)
    with only_lab(project.state / "lock"):
        with shown_on(Console(stderr=True)) as progress:
            build(target.build, progress)
        settings = variables_of(target, wanted)
        log = project.logs / f"{target.name}.log"
        check = health_check(workload, target.protocol)
        port = target.default_port if port is None else port
        with (
            application_database(project) as server,
            TargetProcess(target, server, check, log, port=port, settings=settings) as process,
        ):
            load = Load(target.name, protocol_of(target), "127.0.0.1", port, "smoke", phases=[])
            console.print(f"{target.name} listens on 127.0.0.1:{port}; its log is {project.relative(log)}")
            console.print(f"database: {server.url}")
            console.print(f"\n{request_line(compile_plan(workload, load))}\n")
            console.print("Ctrl-C stops both.")
            try:
                process.wait()
            except KeyboardInterrupt:
                return
            raise BakeoffError(process.ended_error().message)


def request_line(plan: Plan) -> str:
    """A shell line that sends the plan's first operation: curl for HTTP, grpcurl for gRPC."""
    operation, transport = plan["operations"][0], plan["transport"]
    key_format = [] if operation["key"] is None else plan["keys"][operation["key"]]["format"]
    bare = Event(plan["run"], 0, 0, plan["base_time_ms"])
    numbers = RandomNumbers(int(plan["seed"], 16), 0, 0)
    event = Event(plan["run"], 0, 0, plan["base_time_ms"], key=render(key_format, numbers, bare))
    message = render(operation["variants"][0], numbers, event)
    address = f"{transport['host']}:{transport['port']}"
    if transport["protocol"] == "grpc":
        return f"grpcurl -plaintext -d {shlex.quote(message)} {address} {operation['grpc']['method']}"
    path = render(operation["http"]["path"], numbers, event)
    headers = " ".join(f"-H {shlex.quote(f'{name}: {value}')}" for name, value in operation["http"]["headers"].items())
    body = f" {headers} -d {shlex.quote(json.dumps(json.loads(message)))}" if message else ""
    return f"curl -X {operation['http']['method']}{body} http://{address}{path}"
