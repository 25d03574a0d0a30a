"""Help of commands: values and ranges in words, and options in groups by purpose where they are many.

Of groups --help shows the usual options, --help-all every one.
"""

import re
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


# The library names a value by its type in Python.
_VALUES = {"int": "N", "int range": "N", "float range": "NUMBER", "str": "TEXT", "list[str]": "TEXT"}
_PLACES = {"path": "PATH", "file": "FILE", "list[Path]": "DIR"}
_TYPE = re.compile(r"<([^<>]+)>$")
_RANGE = re.compile(r"(?:([\d.]+)<=)?x(<=|>=)([\d.]+)")


def help_record(parameter: Any, context: Any) -> tuple[str, str] | None:
    """The name of an argument or option with its value, and its meaning; None for a hidden one."""
    record = parameter.get_help_record(context)
    if record is None:
        return None
    names, words = record
    if parameter.param_type_name == "argument":
        names = _TYPE.sub("", names).rstrip()
    return _TYPE.sub(lambda found: (_VALUES | _PLACES).get(found[1], found[1]), names), _RANGE.sub(_range, words)


def _range(found: re.Match[str]) -> str:
    lowest, sign, limit = found.groups()
    low, high = (f"{float(each):,g}" if float(each) < 1e6 else f"{float(each):,.0f}" for each in (lowest or 0, limit))
    return f"{low} to {high}" if lowest else f"{'from' if sign == '>=' else 'up to'} {high}"


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
                    if record := help_record(parameter, ctx):
                        sections[group_of.get(flag or "", kind)].append(record)
            for name, rows in sections.items():
                if rows:
                    with formatter.section(name):
                        formatter.write_dl(rows)

    return GroupedCommand


# Of a command with few options.
Plain = grouped({})
