"""`bakeoff up`."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated

import typer

from bakeoff.cli.completion import complete_target
from bakeoff.cli.output import say
from bakeoff.cli.progress_display import shown
from bakeoff.cli.shared_options import WriteMode
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.option import options_of
from bakeoff.options.table import FactorTable
from bakeoff.project import COMMAND, Project, find_project, path_here
from bakeoff.running.lock import only_lab

if TYPE_CHECKING:
    from bakeoff.postgres.server import Server
    from bakeoff.targets.manifest import Target
    from bakeoff.targets.process import TargetProcess

_LOOK_EVERY_S = 0.2


def up(
    target: Annotated[
        list[str] | None, typer.Argument(help="The targets to start.", autocompletion=complete_target)
    ] = None,
    database_only: Annotated[bool, typer.Option("--database-only", help="Start only the databases.")] = False,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of a single target. [the target's documented port]")
    ] = None,
    write_mode: WriteMode = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Setting of the targets; may be repeated. [the target's own]"),
    ] = None,
    tls: Annotated[bool, typer.Option("--tls", help="Use TLS, with a certificate made by the lab.")] = False,
    bind: Annotated[str, typer.Option(help="IP address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
) -> None:
    """Start targets with their own database, until Ctrl-C."""
    from bakeoff.cli.run.request import write_mode_of
    from bakeoff.comparing.preparation import build, buildable
    from bakeoff.engines.client import client_engine, client_of
    from bakeoff.options.variant import Variant
    from bakeoff.postgres.databases import development_database, metrics_database
    from bakeoff.postgres.extensions import naming_missing_extension
    from bakeoff.running.contender import chosen_postgres, storage_of
    from bakeoff.running.fresh_state import own_state
    from bakeoff.running.prepared_states import PreparedStates
    from bakeoff.running.target_ports import ports_of
    from bakeoff.running.testbed import Testbed
    from bakeoff.targets.health import health_check
    from bakeoff.targets.manifest import choose_targets, find_targets
    from bakeoff.targets.process import TargetProcess
    from bakeoff.targets.security import Secured, lab_certificate
    from bakeoff.targets.settings import variables_of
    from bakeoff.workload.loader import load_workload

    _check(target or [], database_only, port, bind, tls)
    project = find_project()
    if database_only:
        with development_database(project) as server, metrics_database(project) as metrics:
            print(f"metrics:  {_url_of(metrics)}")
            _wait(server, [])
        return
    # Nothing is locked while targets are up: the database is not the one that runs use.
    chosen = choose_targets(find_targets(project), target or [])
    targets = buildable(chosen, target or [], lambda _target, reason: say(reason))
    given = {**options_of(FactorTable)["settings"].read_flag(settings or ()), **write_mode_of(write_mode)}
    variant = Variant(settings=given)
    variables = {each.name: variables_of(each, given) for each in targets}
    workloads = {each.workload: load_workload(project, each.workload) for each in targets}
    postgres = chosen_postgres(targets, workloads, variant)
    ports = {targets[0].name: port} if port is not None else ports_of(targets)
    builds = [client_engine().build, *(each.build for each in targets)]
    if any(each.is_stale() for each in builds):
        with only_lab(project.state / "lock"), shown() as progress:
            build(builds, progress)
    with ExitStack() as stack:
        server = stack.enter_context(development_database(project, postgres))
        secured = Secured(lab_certificate(project.state / "tls") if tls else None)
        prepared = stack.enter_context(PreparedStates())
        started = []
        for each in targets:
            workload = workloads[each.workload]
            with shown() as progress:
                common = Testbed(project, server, progress, prepared=prepared)
                common = common.storing_in(storage_of(each, workload, variant))
                own = stack.enter_context(own_state(common, each, workload, variant))
            process = TargetProcess(
                each,
                own.server,
                health_check(workload, each.protocol, client_of(), each.manifest.ready),
                project.logs / f"up-{each.name}.log",
                port=ports[each.name],
                settings=variables[each.name],
                secured=secured,
                bind=bind,
                state=own.state,
                report=say,
            )
            with naming_missing_extension(server):
                started.append(stack.enter_context(process))
            _introduce(project, each, process)
            if own.state is not None:
                print(f"{each.name} stores in {path_here(own.state)} until it stops.\n")
            elif own.server is not None and own is not common:
                print(f"{each.name} stores in {_url_of(own.server)} until it stops.\n")
        _wait(server, started)


def _check(names: Sequence[str], database_only: bool, port: int | None, bind: str, tls: bool) -> None:
    if database_only and names:
        raise UsageError("--database-only starts no target: leave it out, or leave out the names.")
    if not database_only and not names:
        raise UsageError(f"up needs targets, such as {COMMAND} up shop-api, or --database-only.")
    if port is not None and len(set(names)) != 1:
        raise UsageError("--port belongs to one target; several get ports that do not collide.")
    try:
        address = ip_address(bind)
    except ValueError as error:
        raise UsageError(f'--bind is "{bind}": write an IP address, such as 0.0.0.0.') from error
    if tls and not (address.is_loopback or address.is_unspecified):
        raise UsageError("--tls has a certificate for loopback: bind to 127.0.0.1 or 0.0.0.0.")


def _url_of(server: "Server") -> str:
    return server.url if server.embedded else server.shown_url


def _introduce(project: Project, target: "Target", process: "TargetProcess") -> None:
    from bakeoff.running.contender import protocol_of
    from bakeoff.workload.example_request import request_line
    from bakeoff.workload.loader import load_workload
    from bakeoff.workload.plan import Load, compile_plan

    access = process.access
    load = Load(target.name, protocol_of(target), access.host, access.port, "smoke", phases=[], tls=access.tls)
    print(f"{target.name} listens on port {process.port}; its log is {path_here(process.log)}")
    print(f"{request_line(compile_plan(load_workload(project, target.workload), load))}\n")


def _wait(server: "Server", started: "Sequence[TargetProcess]") -> None:
    """Until Ctrl-C, which is how this command ends, or until a target has ended by itself."""
    print(f"database: {_url_of(server)}")
    print(f"{COMMAND} sql opens it. Ctrl-C stops everything.", flush=True)
    try:
        while True:
            for process in started:
                if process.has_ended:
                    raise BakeoffError(process.ended_error().message)
            time.sleep(_LOOK_EVERY_S)
    except KeyboardInterrupt:
        return
