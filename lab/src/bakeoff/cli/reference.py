"""docs/REFERENCE.md: the table of options and the other commands' help. docs/FINDINGS.md: the kinds of findings."""

import re
from collections.abc import Iterable, Iterator, Sequence
from string import Formatter

import typer
from typer.core import TyperCommand, TyperGroup

from bakeoff.cli.grouped_help import help_record
from bakeoff.options.option import Option, options_of
from bakeoff.options.table import SHORTHANDS, ComparisonTable, EveryRunTable, FactorTable, InvocationTable
from bakeoff.results.finding_kinds import KINDS

_HEAD = """# Reference

Every command and option. `./bakeoff generate` writes this page from
[the table of options](../lab/src/bakeoff/options/table.py) and the commands' help; a test fails when it is outdated.

## bakeoff run

`./bakeoff run MODE` with MODE `smoke`, `quick`, `full`, `saturation`, `sustained`, `rate`, `equal` or `count` (with
`--requests` the mode may be left out), or `./bakeoff run FILE.toml` for an experiment. Options on the command line
override the file's.

- **Plan**: the member of the [plan](../lab/src/bakeoff/formats/plan.schema.json) that the option sets.
- **Record**: whether a run's record (`settings`) names the option where it is not the default.
"""
_COLUMNS = ("command line", "experiment", "value", "unit", "default", "meaning", "plan", "record")
_FACTORS = """A contender has one level of each factor. A file may give several levels of a factor in `[vary]`, each an
array; every combination is measured with every target. The record names each level that is not the default."""
_SHORTHANDS = "Other forms of a factor on the command line. Of several for one factor the last in this table counts."


def reference_page(root: TyperGroup) -> str:
    """The whole page; `root` is the command line."""
    every_run = options_of(EveryRunTable)
    comparison = [each for each in options_of(ComparisonTable).values() if each.field not in every_run]
    parts = [
        _HEAD,
        "### The comparison\n",
        _options(comparison),
        f"### Factors\n\n{_FACTORS}\n",
        _options(options_of(FactorTable).values(), place="vary.", is_recorded=True),
        f"{_SHORTHANDS}\n",
        _table(
            ("command line", "value", "factor", "meaning"),
            ((f"`--{each.flag}`", each.kind.metavar, f"`{each.factor}`", each.help) for each in SHORTHANDS),
        ),
        "### Every run\n",
        _options(every_run.values(), is_recorded=True),
        "### The call\n",
        _options(options_of(InvocationTable).values()),
        *_commands(root, "bakeoff"),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


_FINDINGS = """# Findings

A finding is a fact about a run, a contender or a comparison, and the figures that it affects. `./bakeoff
generate` writes this page from [the registry](../lab/src/bakeoff/results/finding_kinds.py); a test fails when it is
outdated. Trust the figures that no warning and no error affects. Words in italics stand for values of the run.

"""


class _Named(dict[str, object]):
    """Shows a measured value as its name."""

    def __missing__(self, name: str) -> str:
        return f"*{name.replace('_', ' ')}*"


def findings_page() -> str:
    """The page of all kinds of findings, in the order of the registry."""
    rows = (
        (
            f"`{kind.name}`",
            kind.severity,
            kind.meaning,
            kind.limits.words.format(*kind.limits),
            kind.affects,
            # The space separates what follows a word only where it is known.
            re.sub(r"(?<=[\w.])\*(?=\w)", " *", Formatter().vformat(kind.advice, kind.limits, _Named())),
        )
        for kind in KINDS.values()
    )
    return _FINDINGS + _table(("finding", "severity", "meaning", "limit", "affected figures", "do"), rows)


def _options(options: Iterable[Option], place: str = "", *, is_recorded: bool = False) -> str:
    return _table(_COLUMNS, (_row(each, place, is_recorded) for each in options))


def _row(option: Option, place: str, is_recorded: bool) -> Sequence[str]:
    default = "off" if option.kind.is_switch else option.unset or option.words(option.default)
    return (
        f"`--{option.flag}`" + (f", `-{option.short}`" if option.short else "") if option.flag else "",
        f"`{place}{option.name}`" if option.in_file else "",
        option.kind.metavar or "switch",
        option.unit,
        default,
        option.help,
        f"`{option.plan}`" if option.plan else "",
        "yes" if is_recorded else "",
    )


def _commands(group: TyperGroup, path: str) -> Iterator[str]:
    for name, command in group.commands.items():
        where = f"{path} {name}"
        if isinstance(command, TyperGroup):
            yield from _commands(command, where)
        elif isinstance(command, TyperCommand) and not command.hidden and where != "bakeoff run":
            yield f"## {where}\n\n{(command.help or '').strip()}\n"
            context = typer.Context(command)
            rows = [row for each in command.params if (row := help_record(each, context)) is not None]
            if rows:
                yield _table(("argument or option", "meaning"), ((f"`{names}`", words) for names, words in rows))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in row)} |\n" for row in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
