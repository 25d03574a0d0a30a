"""`bakeoff run`: its parameters are made from the table of options; the work is imported when it is called."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from keyword import iskeyword
from typing import Annotated, Any

import typer

from bakeoff.cli.completion import complete_mode, complete_target
from bakeoff.cli.grouped_help import HelpAll
from bakeoff.cli.output import typed_command
from bakeoff.cli.parameters import parameter, with_parameters
from bakeoff.options.kinds import ValueKind
from bakeoff.options.option import Option, flagged, options_of
from bakeoff.options.table import SHORTHANDS, ComparisonTable, EveryRunTable, FactorTable, InvocationTable

_COMPLETIONS: Mapping[str, Callable[[str], list[str]]] = {"target": complete_target}


def _parameters() -> Iterator[inspect.Parameter]:
    """The command's parameters as the library reads them from a function's signature."""
    mode = typer.Argument(
        metavar="MODE|FILE",
        help="smoke, quick, full, saturation, sustained, rate, equal or count; or the TOML file of an experiment.",
        autocompletion=complete_mode,
    )
    yield parameter("what", Annotated[str | None, mode])
    every_run = options_of(EveryRunTable)
    comparison = [each for each in flagged(ComparisonTable) if each.field not in every_run]
    yield from map(_of_option, (*comparison, *flagged(FactorTable)))
    yield from (_parameter_of(each.flag, "", each.kind, f"{each.help}.") for each in SHORTHANDS)
    yield from map(_of_option, (*flagged(EveryRunTable), *flagged(InvocationTable)))
    yield parameter("help_all", HelpAll, default=False)


def _of_option(option: Option) -> inspect.Parameter:
    return _parameter_of(option.flag, option.short, option.kind, f"{option.help}.{option.default_in_help}")


def _parameter_of(flag: str, short: str, kind: ValueKind[Any], help: str) -> inspect.Parameter:
    complete = _COMPLETIONS.get(flag)
    if kind.choices and complete is None:

        def complete(incomplete: str) -> list[str]:
            return [each for each in kind.choices if each.startswith(incomplete)]

    metavar = kind.metavar or None
    names = [f"--{flag}", *([f"-{short}"] if short else [])]
    declared = typer.Option(*names, help=help, metavar=metavar, autocompletion=complete)
    typed = bool if kind.is_switch else list[str] if kind.is_repeated else str
    name = flag.replace("-", "_")
    return parameter(f"{name}_" if iskeyword(name) else name, Annotated[typed | None, declared])


with_run_parameters = with_parameters(_parameters())


@with_run_parameters
def run(**parsed: Any) -> None:
    """Measure targets in interleaved rounds, and compare them. Each run starts from the same state."""
    from bakeoff.cli.run.compare import run_comparison
    from bakeoff.cli.run.request import options_from

    run_comparison(options_from(typed_command(), parsed))
