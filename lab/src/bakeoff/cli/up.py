"""`bakeoff up`."""

import base64
import json
import shlex
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from ipaddress import ip_address

from rich.console import Console

from bakeoff.cli.ports import ports_of
from bakeoff.cli.progress_display import shown_on
from bakeoff.cli.run.request import write_mode_of
from bakeoff.comparing.preparation import build, buildable
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.option import options_of
from bakeoff.options.table import FactorTable
from bakeoff.postgres.databases import development_database, metrics_database
from bakeoff.postgres.server import Server
from bakeoff.project import Project, find_project
from bakeoff.running.contender import protocol_of
from bakeoff.running.lock import only_lab
from bakeoff.running.service import variables_of
from bakeoff.targets.certificate import lab_certificate
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import Target, choose_targets, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.targets.security import Secured
from bakeoff.workload.bodies import encoded
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import Plan, PlannedOperation
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render

_LOOK_EVERY_S = 0.2


@dataclass(frozen=True)
class UpOptions:
    """The command line as it was typed."""

    targets: Sequence[str]
    database_only: bool
    port: int | None
    write_mode: str | None
    settings: Sequence[str]
    tls: bool
    bind: str


def keep_up(options: UpOptions) -> None:
    """Builds and starts targets with a database, prints an example request for each, and waits for Ctrl-C.

    Nothing is locked meanwhile: the database is not the one that runs use.
    """
    _check(options)
    project = find_project()
    console = Console(markup=False, highlight=False, soft_wrap=True)
    if options.database_only:
        _keep_databases(project, console)
        return
    targets = buildable(choose_targets(find_targets(project), options.targets), True, lambda *_: None)
    settings = {target.name: _variables(target, options) for target in targets}
    ports = {targets[0].name: options.port} if options.port is not None else ports_of(targets)
    if any(target.build.is_stale() for target in targets):
        with only_lab(project.state / "lock"), shown_on(Console(stderr=True)) as progress:
            for target in targets:
                build(target.build, progress)
    with ExitStack() as stack:
        server = stack.enter_context(development_database(project))
        secured = Secured(lab_certificate(project.state / "tls") if options.tls else None)
        started = []
        for target in targets:
            process = TargetProcess(
                target,
                server,
                health_check(load_workload(project, target.workload), target.protocol),
                project.logs / f"up-{target.name}.log",
                port=ports[target.name],
                settings=settings[target.name],
                secured=secured,
                bind=options.bind,
            )
            started.append(stack.enter_context(process))
            _introduce(console, project, target, process)
        _wait(console, server, started)


def _check(options: UpOptions) -> None:
    if options.database_only and options.targets:
        raise UsageError("--database-only starts no target: leave it out, or leave out the names.")
    if not options.database_only and not options.targets:
        raise UsageError("up needs targets, such as ./bakeoff up producer-api-rust-rest, or --database-only.")
    if options.port is not None and len(set(options.targets)) != 1:
        raise UsageError("--port belongs to one target; several get ports that do not collide.")
    try:
        address = ip_address(options.bind)
    except ValueError as error:
        raise UsageError(f'--bind is "{options.bind}": write an IP address, such as 0.0.0.0.') from error
    if options.tls and not (address.is_loopback or address.is_unspecified):
        raise UsageError("--tls has a certificate for loopback: bind to 127.0.0.1 or 0.0.0.0.")


def _variables(target: Target, options: UpOptions) -> dict[str, str]:
    """Environment variables for `--set` and `--write-mode`."""
    given = options_of(FactorTable)["settings"].read_flag(list(options.settings)) if options.settings else {}
    assert isinstance(given, Mapping)
    settings = {name: str(value) for name, value in given.items()}
    return variables_of(target, {**settings, **write_mode_of(options.write_mode)})


def _keep_databases(project: Project, console: Console) -> None:
    with development_database(project) as server, metrics_database(project) as metrics:
        console.print(f"metrics:  {metrics.url if metrics.embedded else metrics.shown_url}")
        _wait(console, server, [])


def _introduce(console: Console, project: Project, target: Target, process: TargetProcess) -> None:
    access = process.access
    load = Load(target.name, protocol_of(target), access.host, access.port, "smoke", phases=[], tls=access.tls)
    console.print(f"{target.name} listens on port {process.port}; its log is {project.relative(process.log)}")
    console.print(f"{request_line(compile_plan(load_workload(project, target.workload), load))}\n")


def _wait(console: Console, server: Server, started: Sequence[TargetProcess]) -> None:
    """Until Ctrl-C, which is how this command ends, or until a target has ended by itself."""
    console.print(f"database: {server.url if server.embedded else server.shown_url}")
    console.print("./bakeoff sql opens it. Ctrl-C stops everything.")
    try:
        while True:
            for process in started:
                if process.has_ended:
                    raise BakeoffError(process.ended_error().message)
            time.sleep(_LOOK_EVERY_S)
    except KeyboardInterrupt:
        return


def request_line(plan: Plan) -> str:
    """A shell line that sends the plan's first operation: curl for HTTP, grpcurl for gRPC."""
    operation, transport = plan.operations[0], plan.transport
    key_format = [] if operation.key is None else plan.keys[operation.key].format
    bare = Event(plan.run, 0, 0, plan.base_time_ms)
    numbers = RandomNumbers(int(plan.seed, 16), 0, 0)
    event = Event(plan.run, 0, 0, plan.base_time_ms, key=render(key_format, numbers, bare))
    message = render(operation.variants[0], numbers, event)
    address = f"{transport.host}:{transport.port}"
    authority = None if transport.tls is None else transport.tls.ca_file
    if operation.http is None or transport.protocol == "grpc":
        assert operation.grpc is not None
        security = f"-cacert {shlex.quote(authority)}" if authority else "-plaintext"
        return f"grpcurl {security} -d {shlex.quote(message)} {address} {operation.grpc.method}"
    path = render(operation.http.path, numbers, event)
    headers = " ".join(f"-H {shlex.quote(f'{name}: {value}')}" for name, value in operation.http.headers.items())
    before, data = _curl_body(operation, message)
    body = f" {headers} {data}" if message else ""
    security, scheme = (f" --cacert {shlex.quote(authority)}", "https") if authority else ("", "http")
    return f"{before}curl{security} -X {operation.http.method}{body} {scheme}://{address}{path}"


def _curl_body(operation: PlannedOperation, message: str) -> tuple[str, str]:
    """The command before curl, and curl's option for the body; bytes come from a pipe."""
    if operation.body is None:
        is_json = operation.http is None or operation.http.headers.get("content-type") == "application/json"
        text = json.dumps(json.loads(message)) if is_json and message else message
        return "", f"{'-d' if is_json else '--data-raw'} {shlex.quote(text)}"
    content = encoded(operation.body, message if operation.body == "binary" else json.loads(message))
    if operation.body == "form":
        return "", f"--data-raw {shlex.quote(content.decode())}"
    return f"echo {base64.b64encode(content).decode()} | base64 -d | ", "--data-binary @-"
