"""The command line: registers the commands. Each imports what it does when it is called."""

import os
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bakeoff import __version__
from bakeoff.cli.calibrate import calibrate
from bakeoff.cli.completion import completion
from bakeoff.cli.conform import conform
from bakeoff.cli.doctor import doctor
from bakeoff.cli.gate import HELP_GROUPS as GATE_HELP_GROUPS
from bakeoff.cli.gate import gate
from bakeoff.cli.generate import generate
from bakeoff.cli.grouped_help import Plain, grouped
from bakeoff.cli.hit import hit
from bakeoff.cli.logs import logs
from bakeoff.cli.plan import plan
from bakeoff.cli.release_check import release_check
from bakeoff.cli.report import report
from bakeoff.cli.run import run
from bakeoff.cli.runs import runs_app
from bakeoff.cli.serve import serve
from bakeoff.cli.sql import sql
from bakeoff.cli.targets import build, targets
from bakeoff.cli.test import test
from bakeoff.cli.up import up
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.table import HELP_GROUPS
from bakeoff.project import COMMAND, PROJECT_VARIABLE

# \b keeps the lines as they are.
_EXAMPLES = "\n".join(
    (
        "\b",
        "Examples:",
        *(
            f"  {COMMAND + ' ' + typed:<32}  {words}"
            for typed, words in (
                ("init", "create a bakeoff.toml for your own service"),
                ("run smoke", "every target, five requests each"),
                ("run quick --rounds 3", "10, 50 and 200 users, 10 s each"),
                ("run full -t shop-api", "one target, up to 5 minutes a level"),
                ("run equal --rounds 5", "latency and CPU at one load for all"),
                ("run experiment.toml", "a comparison declared in a file"),
                ("gate --against main", "is the working tree slower?"),
                ("up shop-api", "a target with its database"),
            )
        ),
    )
)


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Handles Ctrl-C before the library does, which would exit without a message."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise BakeoffError("interrupted; completed runs are stored.", exit_code=130) from error

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Names the nearest command for one that is unknown, those of groups among them."""
        name = args[0]
        if name not in self.commands and not name.startswith("-") and not ctx.resilient_parsing:
            paths = {name: name for name in self.commands}
            for group, command in self.commands.items():
                paths |= {inner: f"{group} {inner}" for inner in getattr(command, "commands", ()) if inner not in paths}
            meant = get_close_matches(name, paths, 1)
            hint = f" Did you mean {COMMAND} {paths[meant[0]]}?" if meant else ""
            raise UsageError(f"No such command '{name}'.{hint} Try {COMMAND} --help.")
        return super().resolve_command(ctx, args)


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
    project: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder with the bakeoff.toml. [this folder, or the nearest one above it]"),
    ] = None,
) -> None:
    if project is not None:
        os.environ[PROJECT_VARIABLE] = str(project)
    if version:
        typer.echo(f"bakeoff {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command(cls=grouped(HELP_GROUPS))(run)
app.command(cls=grouped(HELP_GROUPS))(plan)
app.command(cls=Plain)(hit)


@app.command(cls=Plain)
def init(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME] [URL]",
            help="Name of the service [that of the folder], and its http:// or grpc:// address.",
        ),
    ] = None,
    openapi: Annotated[
        str | None,
        typer.Option(metavar="FILE|URL", help="OpenAPI 3 or Swagger 2 document with the operations to send."),
    ] = None,
    proto: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Proto file, or descriptors, with the methods to call."),
    ] = None,
    proto_path: Annotated[
        list[Path] | None,
        typer.Option(
            "--proto-path",
            "-I",
            exists=True,
            file_okay=False,
            help="Folder that imports of --proto are relative to; may be repeated. [found by going up from the file]",
        ),
    ] = None,
    probe: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Address of the running service: operations are sent there a few times, and adapted to the replies.",
        ),
    ] = None,
    har: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Recording of a browser (HAR), which becomes a session."),
    ] = None,
    from_curl: Annotated[
        list[str] | None,
        typer.Option(metavar="COMMAND", help="curl command to take the request from, in quotes; may be repeated."),
    ] = None,
    login: Annotated[
        str | None,
        typer.Option(metavar="USER:PASSWORD", help="A user who exists, for the login that the description has."),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Create the folders of a contract, with cases and SQL, instead of one file.")
    ] = False,
    protocol: Annotated[str | None, typer.Option(help="With --full or --target: rest or grpc. [rest]")] = None,
    database: Annotated[
        str | None, typer.Option(help="With --full: postgresql, or none for a store without audit. [postgresql]")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="WORKLOAD", help="Add a target of this workload to the project, in place of a project."),
    ] = None,
    language: Annotated[str | None, typer.Option(help="With --target: its language, such as ruby.")] = None,
    framework: Annotated[str | None, typer.Option(help="With --target: its framework, such as 'Rails 8.1'.")] = None,
) -> None:
    """Write bakeoff.toml for your service. It is made from the repository and the API's description.

    With --target, create the folder of a new target for a workload that the project has.
    """
    from bakeoff.cli.init import InitOptions, make_project, make_target

    options = InitOptions(
        words or [], openapi, proto, full, protocol, database, proto_path or [], probe, har, from_curl or [], login
    )
    if target is None and language is None and framework is None:
        make_project(options)
    else:
        make_target(options, target, language, framework)


for command in (targets, build, up, sql, logs, conform, calibrate, report, test, serve):
    app.command(cls=Plain)(command)
app.add_typer(runs_app, name="runs")
app.command(cls=grouped(GATE_HELP_GROUPS))(gate)
app.command(cls=Plain)(doctor)
app.command(cls=Plain)(completion)
app.command(cls=Plain, hidden=True)(generate)
app.command(cls=Plain, hidden=True)(release_check)


def command_line() -> TyperGroup:
    """The whole command line, as the library has built it."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group
