"""Options that several commands have."""

from typing import Annotated

import typer

from bakeoff.errors import UsageError
from bakeoff.history.changed_workload import OPTION, OPTION_HELP
from bakeoff.options.table import CLASSES


def _known_class(name: str) -> str:
    if name not in CLASSES:
        raise UsageError(f'--class is "{name}": write {", ".join(CLASSES)}.')
    return name


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OfWorkload = Annotated[
    str | None,
    typer.Option("--workload", metavar="NAME", help="Workload of the targets, where none is named. [the usual ones]"),
]
TargetClass = Annotated[
    str, typer.Option("--class", help="Where no target is named: standard, tuned or all.", callback=_known_class)
]
WriteMode = Annotated[str | None, typer.Option(help="Write mode: group-commit or per-request. [the target's own]")]
AllowChangedWorkload = Annotated[bool, typer.Option(OPTION, help=OPTION_HELP)]
