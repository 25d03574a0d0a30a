"""Help of commands with many options, in groups by purpose: --help shows the usual ones, --help-all every one."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from bakeoff.options.table import HelpGroup

_ALL = "bakeoff.help-all"


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        context.meta[_ALL] = True
        typer.echo(context.get_help())
        raise typer.Exit


HelpAll = Annotated[
    bool, typer.Option("--help-all", is_eager=True, callback=_show_all, help="Show every option, and exit.")
]


def grouped(groups: Mapping[str, HelpGroup]) -> type[TyperCommand]:
    """The class of a command whose options are in these groups; others, --help among them, follow without a group."""

    group_of = {flag: name for name, group in groups.items() for flag in (*group.usual, *group.others)}
    usual = {flag for group in groups.values() for flag in group.usual}

    class GroupedCommand(TyperCommand):
        def format_options(self, ctx: Any, formatter: Any) -> None:
            sections: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Arguments", *groups, "Options")}
            for parameter in self.get_params(ctx):
                flag = next((each for name in parameter.opts if (each := name.removeprefix("--")) in group_of), None)
                if flag is None or flag in usual or _ALL in ctx.meta:
                    kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
                    sections[group_of.get(flag or "", kind)].append(parameter.get_help_record(ctx) or ("", ""))
            for name, rows in sections.items():
                if rows:
                    with formatter.section(name):
                        formatter.write_dl(rows)

    return GroupedCommand
