"""`bakeoff runs`: its commands."""

import typer

from bakeoff.cli.grouped_help import Plain
from bakeoff.cli.runs.cleanup import cleanup
from bakeoff.cli.runs.compare import compare
from bakeoff.cli.runs.files import export, import_
from bakeoff.cli.runs.listing import list_, show, summary
from bakeoff.cli.runs.trend import trend

runs_app = typer.Typer(
    help="List, show, compare, export, import and clean up stored runs.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@runs_app.callback()
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


runs_app.command("list", cls=Plain)(list_)
runs_app.command(cls=Plain)(show)
runs_app.command(cls=Plain)(export)
runs_app.command("import", cls=Plain)(import_)
for command in (compare, summary, cleanup, trend):
    runs_app.command(cls=Plain)(command)
