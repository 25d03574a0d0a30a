"""The command line: its commands and their options. Each imports what it does when it is called."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bakeoff import __version__
from bakeoff.cli import completion
from bakeoff.cli.completion import complete_shell, complete_target
from bakeoff.cli.gate import gate
from bakeoff.cli.hit import hit
from bakeoff.cli.run import run, with_run_parameters
from bakeoff.cli.runs import Json, runs_app
from bakeoff.cli.typed_command import typed_command
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.table import CLASSES

# \b keeps the lines as they are.
_EXAMPLES = """\b
Examples:
  ./bakeoff run smoke                       every target, five requests each
  ./bakeoff run full -t producer-api-rust-rest
                                            10, 50, 100 users for 2 minutes each, 200 for 5
  ./bakeoff run saturation --phase-duration 10s --payload 8k
                                            up to 2,000 users, 10 seconds each
  ./bakeoff run equal --rounds 5            latency and CPU at one load for all
  ./bakeoff run experiments/write-strategy.toml
                                            a comparison declared in a file
  ./bakeoff up producer-api-rust-rest       targets with a database, for manual requests
  ./bakeoff conform                         check every target against the contract
  ./bakeoff init users                      create a workload for your own API
  ./bakeoff test                            every test of the project
"""


class _Commands(TyperGroup):
    """Handles Ctrl-C before the library does, which would exit without a message."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise BakeoffError("interrupted; completed runs are stored.", exit_code=130) from error


app = typer.Typer(
    name="bakeoff",
    cls=_Commands,
    help="A lab for fair head-to-head performance tests of API implementations.",
    epilog=_EXAMPLES,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _known_class(name: str) -> str:
    if name not in CLASSES:
        raise UsageError(f'--class is "{name}": write {", ".join(CLASSES)}.')
    return name


OfWorkload = Annotated[
    str | None,
    typer.Option("--workload", metavar="NAME", help="Workload of the targets, where none is named. [the usual ones]"),
]
TargetClass = Annotated[
    str, typer.Option("--class", help="Where no target is named: standard, tuned or all.", callback=_known_class)
]


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(f"bakeoff {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command()(run)


@app.command()
@with_run_parameters
def plan(**parsed: Any) -> None:
    """Print the plan that an engine would follow for one target, as JSON."""
    from bakeoff.cli.plan import print_plan
    from bakeoff.cli.run.request import options_from

    print_plan(options_from(typed_command(), parsed))


app.command()(hit)


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="Name of the workload, such as users.")],
    protocol: Annotated[str | None, typer.Option(help="Protocol of its first target: rest or grpc. [rest]")] = None,
    database: Annotated[
        str | None,
        typer.Option(help="Where it stores data: postgresql, or none for a store without audit. [postgresql]"),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help="URL of the API, such as http://127.0.0.1:8080/v1/users. [port 8080, path /NAME]"),
    ] = None,
    openapi: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="OpenAPI 3 document to import operations from.")
    ] = None,
    proto: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Proto file to import gRPC methods from.")
    ] = None,
) -> None:
    """Create a workload for your own API: files that describe its requests and its first target."""
    from bakeoff.cli.init import InitOptions, make_workload

    make_workload(InitOptions(name, protocol, database, url, openapi, proto))


@app.command()
def targets(
    target: Annotated[
        list[str] | None,
        typer.Argument(help="Targets to show with what they replace. [all, as a list]", autocompletion=complete_target),
    ] = None,
    json: Json = False,
) -> None:
    """List the targets and whether this machine can build them; of named ones, what is not the framework's own."""
    from bakeoff.cli.targets import list_targets

    list_targets(target or [], json)


@app.command()
def build(
    target: Annotated[
        list[str] | None, typer.Argument(help="Targets to build. [those of the class]", autocompletion=complete_target)
    ] = None,
    workload: OfWorkload = None,
    target_class: TargetClass = "standard",
    adopt: Annotated[
        str | None,
        typer.Option(metavar="ENGINE", help="Build nothing: use an engine's artifact that was built elsewhere."),
    ] = None,
) -> None:
    """Build the targets whose sources changed."""
    from bakeoff.cli.targets import adopt_engine, build_targets

    if adopt is not None:
        adopt_engine(adopt)
        return
    build_targets(target or [], workload, target_class)


@app.command()
def up(
    target: Annotated[
        list[str] | None, typer.Argument(help="The targets to start.", autocompletion=complete_target)
    ] = None,
    database_only: Annotated[bool, typer.Option("--database-only", help="Start the databases alone.")] = False,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of a single target. [the target's documented port]")
    ] = None,
    write_mode: Annotated[
        str | None, typer.Option(help="Write mode: group-commit or per-request. [the target's own]")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Setting of the targets; may be repeated. [the target's own]"),
    ] = None,
    tls: Annotated[bool, typer.Option("--tls", help="Use TLS, with a certificate made by the lab.")] = False,
    bind: Annotated[str, typer.Option(help="IP address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
) -> None:
    """Start targets with a database of their own and keep them running until Ctrl-C."""
    from bakeoff.cli.up import UpOptions, keep_up

    keep_up(UpOptions(target or [], database_only, port, write_mode, settings or [], tls, bind))


@app.command()
def sql(
    query: Annotated[str | None, typer.Argument(help="SQL to run. [open psql]")] = None,
    metrics: Annotated[bool, typer.Option("--metrics", help="The metrics database, not the application's.")] = False,
) -> None:
    """Open psql on the application database or the metrics database, or run a query there."""
    from bakeoff.cli.sql import open_database

    open_database(query, metrics)


@app.command()
def logs(
    target: Annotated[str, typer.Argument(help="The target.", autocompletion=complete_target)],
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Print what is added, until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, max=1_000_000, help="Number of last lines.")] = 100,
) -> None:
    """Print the newest log of a target."""
    from bakeoff.cli.logs import show_log

    show_log(target, lines, follow)


@app.command()
def conform(
    target: Annotated[
        list[str] | None,
        typer.Argument(help="Targets to check. [those of the class]", autocompletion=complete_target),
    ] = None,
    workload: OfWorkload = None,
    target_class: TargetClass = "standard",
    write_mode: Annotated[
        str | None, typer.Option(help="Write mode: group-commit or per-request. [the target's own]")
    ] = None,
    attach: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TARGET=URL", help="Target that is already running, such as NAME=http://host:8081; may be repeated."
        ),
    ] = None,
    hostile: Annotated[
        bool, typer.Option("--hostile", help="Try slow and hostile connections in place of the conformance vectors.")
    ] = False,
    json: Json = False,
) -> None:
    """Check targets against their contract: run every conformance vector."""
    from bakeoff.cli.conform import conform_targets

    conform_targets(target or [], workload, target_class, write_mode, attach or [], hostile=hostile, as_json=json)


@app.command()
def calibrate(
    engine: Annotated[str, typer.Option(help="Engine to calibrate.")] = "native",
    workload: Annotated[str | None, typer.Option(help="Workload whose messages are sent. [all]")] = None,
    payload: Annotated[list[str] | None, typer.Option(help="Message size; may be repeated. [all]")] = None,
    duration: Annotated[str, typer.Option(help="Duration of each measurement.")] = "3s",
    batch: Annotated[int, typer.Option(min=1, max=10_000, help="Messages in one request.")] = 1,
    stream: Annotated[bool, typer.Option("--stream", help="One long stream for each virtual user.")] = False,
    window: Annotated[
        int, typer.Option(min=1, max=4096, help="With --stream: messages in flight per virtual user.")
    ] = 1,
    json: Json = False,
) -> None:
    """Measure the highest rates of the engine, and of PostgreSQL without an API, on this machine."""
    from bakeoff.cli.calibrate import calibrate_machine
    from bakeoff.workload.transport_mode import TransportMode

    mode = TransportMode(batch, stream, window if stream else 1)
    calibrate_machine(engine, workload, payload or [], duration, mode, json)


@app.command()
def report(
    comparison: Annotated[str | None, typer.Argument(help="The comparison, such as c6 or 6. [the latest]")] = None,
    format: Annotated[str, typer.Option(help="Format: html, markdown, json, csv, text, svg or png.")] = "html",
    output: Annotated[
        Path | None,
        typer.Option(help="File, or folder for svg and png; - for standard output. [below results/reports]"),
    ] = None,
) -> None:
    """Write the report of a comparison: a web page, tables, data or charts."""
    from bakeoff.cli.report import report_comparison

    report_comparison(comparison, format, output)


@app.command()
def test(
    fast: Annotated[bool, typer.Option("--fast", help="Skip tests that start databases, targets or engines.")] = False,
    exhaustive: Annotated[
        bool, typer.Option("--all", help="Also run the tests that repeat for one target what a sibling of it shows.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="Run only this check of .ci/checks.toml; may be repeated.")
    ] = None,
    changed: Annotated[
        str | None,
        typer.Option(metavar="REF", help="Run the checks that changes since this commit can affect, such as main."),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(metavar="LIST", help="Fail instead of skipping when one is missing: rust,go,java,docker."),
    ] = None,
) -> None:
    """Run every check of the project: linters, type checkers, unit tests and end-to-end tests."""
    from bakeoff.cli.test import run_checks

    run_checks(fast=fast, exhaustive=exhaustive, only=only or [], changed=changed, required=require or [])


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free port.")] = 8080,
    token: Annotated[
        str | None, typer.Option(help="Bearer token that clients must send. [none on loopback, otherwise random]")
    ] = None,
) -> None:
    """Serve comparisons, runs, trends and the progress of the current run as web pages."""
    from bakeoff.cli.serve import serve_pages

    serve_pages(host, port, token)


app.add_typer(runs_app, name="runs")


app.command()(gate)


@app.command()
def doctor(json: Json = False) -> None:
    """Check this machine for conditions that distort results, and how to fix them."""
    from bakeoff.cli.doctor import run_doctor

    run_doctor(json)


@app.command("completion")
def completion_command(
    shell: Annotated[str, typer.Argument(help="Shell: bash, zsh or fish.", autocompletion=complete_shell)],
) -> None:
    """Print the completion script of a shell: eval "$(./bakeoff completion bash)"."""
    completion.print_script(shell)


@app.command(hidden=True)
def generate() -> None:
    """Write the files that are made from the table of options: docs/REFERENCE.md and the schema of experiments."""
    from bakeoff.cli.generate import write_generated

    write_generated(command_line())


def command_line() -> TyperGroup:
    """The whole command line, as the library has built it."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group
