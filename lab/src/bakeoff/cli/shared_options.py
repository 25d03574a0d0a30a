"""Options that several commands have."""

from typing import Annotated, Literal

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
