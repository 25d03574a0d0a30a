"""Options that several commands have, and parameters of commands as data."""

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal

import typer

from bakeoff.history.changed_workload import OPTION, OPTION_HELP

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OfWorkload = Annotated[
    str | None,
    typer.Option("--workload", metavar="NAME", help="Workload of the targets, where none is named. [the usual ones]"),
]
TargetClass = Annotated[
    Literal["standard", "tuned", "all"], typer.Option("--class", help="Class of the targets, where none is named.")
]
WriteMode = Annotated[str | None, typer.Option(help="Write mode: group-commit or per-request. [the target's own]")]
AllowChangedWorkload = Annotated[bool, typer.Option(OPTION, help=OPTION_HELP)]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL=VALUE",
        help="Only targets with this label, such as language=go or framework='Spring*'; may be repeated: one of each "
        "name must hold.",
    ),
]


def parameter(name: str, annotation: Any, default: object = None) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def with_parameters(
    parameters: Iterable[inspect.Parameter],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a function that takes them by name the signature that the library reads parameters from."""
    signature = inspect.Signature(list(parameters))

    def with_signature(function: Callable[..., None]) -> Callable[..., None]:
        vars(function)["__signature__"] = signature
        return function

    return with_signature
