"""The command line: its commands and their options. Each imports what it does when it is called."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bakeoff import __version__
from bakeoff.cli import completion
from bakeoff.cli.completion import complete_shell, complete_target
from bakeoff.cli.run_parameters import with_run_parameters
from bakeoff.cli.runs import Json, runs_app
from bakeoff.errors import BakeoffError

# \b keeps the lines as they are.
_EXAMPLES = """\b
Examples:
  ./bakeoff run smoke                       every target, five requests each
  ./bakeoff run full -t producer-api-rust-rest
                                            10, 50, 100 users for 2 minutes each, 200 for 5
  ./bakeoff run saturation --phase-duration 10s --payload 8k
                                            up to 2,000 users, 10 seconds each
  ./bakeoff run experiments/write-strategy.toml
                                            a comparison declared in a file
  ./bakeoff up producer-api-rust-rest       one target with a database, to play with
  ./bakeoff conform                         hold every target against the contract
  ./bakeoff init users                      begin a workload for an API of your own
  ./bakeoff test                            every test of the house
"""


class _Commands(TyperGroup):
    """Takes Ctrl-C before the library does, which would end without a word."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise BakeoffError("interrupted; what was finished is kept.", exit_code=130) from error


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


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(f"bakeoff {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
@with_run_parameters
def run(**parsed: object) -> None:
    """Compare the performance of targets: measure each on a fresh table, in interleaved rounds."""
    from bakeoff.cli.run import run_comparison
    from bakeoff.cli.run_options import options_from

    run_comparison(options_from(_command_line(), parsed))


def _command_line() -> str:
    """The command as a shell takes it again."""
    return shlex.join(["./bakeoff", *sys.argv[1:]])


@app.command()
def hit(
    url: Annotated[str, typer.Argument(help="Such as http://127.0.0.1:3000/path.")],
    users: Annotated[int, typer.Option("--users", "-u", "-c", min=1, max=100_000, help="Virtual users.")] = 64,
    short: Annotated[
        list[str] | None, typer.Option("-d", help="10s as --duration; anything else as --data, such as @body.json.")
    ] = None,
    duration: Annotated[str, typer.Option("--duration", "-z", help="Length, such as 10s or 2m.")] = "10s",
    requests: Annotated[int | None, typer.Option("--requests", "-n", min=1, help="Send so many instead.")] = None,
    rate: Annotated[float | None, typer.Option("--rate", "-q", min=0.1, help="Open model: requests a second.")] = None,
    arrivals: Annotated[str, typer.Option(help="With --rate: constant or poisson.")] = "constant",
    method: Annotated[str | None, typer.Option("--method", "-m", help="[GET, or POST with a body]")] = None,
    header: Annotated[list[str] | None, typer.Option("--header", "-H", help="'Name: value'; may be repeated.")] = None,
    data: Annotated[str | None, typer.Option("--data", help="Body, @FILE, or @- for standard input.")] = None,
    content_type: Annotated[str | None, typer.Option("--type", "-T", help="[application/json with a body]")] = None,
    connections: Annotated[int | None, typer.Option(min=1, help="Connections that users share. [one each]")] = None,
    timeout: Annotated[str, typer.Option(help="A request without a reply for so long has failed.")] = "30s",
    warm_up: Annotated[str, typer.Option(help="Load before the measurement, not counted.")] = "1s",
    ca_file: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="Authority to trust.")] = None,
    expect: Annotated[
        int | None, typer.Option(min=100, max=599, help="Status of a good reply. [that of a first request]")
    ] = None,
    json: Json = False,
) -> None:
    """Measure one URL, without a workload or a contract."""
    from bakeoff.cli.hit import HitOptions, hit_url

    hit_url(
        HitOptions(
            url=url,
            users=users,
            short=short or [],
            duration=duration,
            requests=requests,
            rate=rate,
            arrivals=arrivals,
            method=method,
            header=header or [],
            data=data,
            content_type=content_type,
            connections=connections,
            timeout=timeout,
            warm_up=warm_up,
            ca_file=ca_file,
            expect=expect,
            as_json=json,
        )
    )


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="What to call the workload, such as users.")],
    protocol: Annotated[str, typer.Option(help="What its first target speaks: rest or grpc.")] = "rest",
    database: Annotated[
        str, typer.Option(help="Where it stores: postgresql, or none that can be audited.")
    ] = "postgresql",
    url: Annotated[
        str | None,
        typer.Option(help="Where the API listens, such as http://127.0.0.1:8080/v1/users. [port 8080, path /NAME]"),
    ] = None,
) -> None:
    """Begin a workload of your own: the folders that describe your API and what to send to it."""
    from bakeoff.cli.init import make_workload

    make_workload(name, protocol, database, url)


@app.command()
def targets(json: Json = False) -> None:
    """List the targets, and which of them this machine can build."""
    from bakeoff.cli.targets import list_targets

    list_targets(json)


@app.command()
def build(
    target: Annotated[
        list[str] | None, typer.Argument(help="Targets to build. [all]", autocompletion=complete_target)
    ] = None,
) -> None:
    """Build what is stale."""
    from bakeoff.cli.targets import build_targets

    build_targets(target or [])


@app.command()
def up(
    target: Annotated[str, typer.Argument(help="The target to start.", autocompletion=complete_target)],
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port. [the documented one]")] = None,
    write_mode: Annotated[str | None, typer.Option(help="group-commit or per-request. [the target's own]")] = None,
) -> None:
    """Start one target with a database and keep it running until Ctrl-C."""
    from bakeoff.cli.up import keep_up

    keep_up(target, port, write_mode)


@app.command()
def conform(
    target: Annotated[
        list[str] | None,
        typer.Argument(help="Targets to hold against their contract. [all]", autocompletion=complete_target),
    ] = None,
    write_mode: Annotated[str | None, typer.Option(help="group-commit or per-request. [the target's own]")] = None,
    json: Json = False,
) -> None:
    """Run every conformance vector against targets."""
    from bakeoff.cli.conform import conform_targets

    conform_targets(target or [], write_mode, json)


@app.command()
def calibrate(
    engine: Annotated[str, typer.Option(help="Engine to calibrate.")] = "native",
    workload: Annotated[str | None, typer.Option(help="Workload whose messages are sent. [all]")] = None,
    payload: Annotated[list[str] | None, typer.Option(help="Message size; may be given several times. [all]")] = None,
    duration: Annotated[str, typer.Option(help="Length of each measurement.")] = "3s",
    batch: Annotated[int, typer.Option(min=1, max=10_000, help="Messages in one request.")] = 1,
    stream: Annotated[bool, typer.Option("--stream", help="One long call for each user.")] = False,
    window: Annotated[int, typer.Option(min=1, max=4096, help="With --stream: messages under way for each user.")] = 1,
    json: Json = False,
) -> None:
    """Measure what the engine, and PostgreSQL without any API, can do on this machine."""
    from bakeoff.cli.calibrate import calibrate_machine
    from bakeoff.workload.plan import Way

    way = Way("", batch, stream, window if stream else 1)
    calibrate_machine(engine, workload, payload or [], duration, way, json)


@app.command()
def report(
    comparison: Annotated[int | None, typer.Argument(help="The comparison's id. [the latest]")] = None,
    format: Annotated[str, typer.Option(help="html, markdown, json, csv, text, svg or png.")] = "html",
    output: Annotated[
        Path | None, typer.Option(help="File, or folder for svg and png; - for standard output. [in results/reports]")
    ] = None,
) -> None:
    """Write what a comparison came to: a page, tables, figures or pictures."""
    from bakeoff.cli.report import report_comparison

    report_comparison(comparison, format, output)


@app.command()
def test(
    fast: Annotated[bool, typer.Option("--fast", help="Leave out what starts databases, targets and engines.")] = False,
    only: Annotated[list[str] | None, typer.Option(help="Only the checks of these names; see .ci/checks.toml.")] = None,
) -> None:
    """Run every check of the house: linters, types, unit tests, real end-to-end tests."""
    from bakeoff.cli.test import run_checks

    run_checks(fast=fast, only=only or [])


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8080,
    token: Annotated[
        str | None, typer.Option(help="Token that readers need. [none on loopback, else a random one]")
    ] = None,
) -> None:
    """Serve comparisons, runs and trends as web pages, and what runs now."""
    from bakeoff.cli.serve import serve_pages

    serve_pages(host, port, token)


app.add_typer(runs_app, name="runs")


@app.command()
def gate(
    baseline: Annotated[
        str | None,
        typer.Option(help="What to hold it against: a run (42), a comparison (c7), FILE.json, a git reference."),
    ] = None,
    candidate: Annotated[str, typer.Option(help="What is judged, named likewise.")] = "latest",
    targets: Annotated[Path | None, typer.Option(help="Absolute targets, a TOML file; see docs/GUARD_CI.md.")] = None,
    p99: Annotated[float, typer.Option(min=0, help="Allowed increase of p99, per cent.")] = 20.0,
    throughput: Annotated[float, typer.Option(min=0, max=100, help="Allowed decrease of throughput, per cent.")] = 15.0,
    errors: Annotated[float, typer.Option(min=0, max=100, help="Allowed failed requests, per cent.")] = 1.0,
    rerun: Annotated[bool, typer.Option("--rerun/--no-rerun", help="Measure again what failed before failing.")] = True,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")] = None,
    github: Annotated[bool, typer.Option("--github", help="Print GitHub annotations.")] = False,
    json: Json = False,
) -> None:
    """Guard a pipeline: fail when a measurement is worse than a baseline, or misses a target."""
    from bakeoff.cli.gate import GateOptions, run_gate
    from bakeoff.gating.regressions import Limits

    limits = Limits(p99 / 100, throughput / 100, errors / 100)
    run_gate(GateOptions(baseline, candidate, targets, limits, rerun, junit, github, json, _command_line()))


@app.command()
def doctor(json: Json = False) -> None:
    """Tell what on this machine makes results worse or wrong, and how to mend it."""
    from bakeoff.cli.doctor import run_doctor

    run_doctor(json)


@app.command("completion")
def completion_command(
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish.", autocompletion=complete_shell)],
) -> None:
    """Print what a shell reads to complete commands: eval "$(./bakeoff completion bash)"."""
    completion.print_script(shell)
