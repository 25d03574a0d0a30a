"""`bakeoff runs compare`."""

from dataclasses import asdict
from typing import Annotated

import typer

from bakeoff.cli.output import print_json, say
from bakeoff.cli.shared_options import AllowChangedWorkload, Json
from bakeoff.cli.stored_history import stored_history
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import COMMAND, find_project
from bakeoff.text.table import Table, show


def compare(
    reference: Annotated[
        list[str],
        typer.Argument(help="Two or more of: a run (42), a comparison (c7), latest, FILE.json, a git reference."),
    ],
    allow_changed_workload: AllowChangedWorkload = False,
    json: Json = False,
) -> None:
    """Compare stored runs or comparisons with the first one."""
    from bakeoff.history.changed_workload import changed_in_words, refuse_changed, refuse_several
    from bakeoff.history.comparing import caution, measured_together, side_by_side
    from bakeoff.history.judged import judgements_of
    from bakeoff.history.run_references import resolve
    from bakeoff.history.run_tables import comparison_of_references
    from bakeoff.reporting.json_document import plain_json
    from bakeoff.reporting.verdict_text import judgement_table

    if len(reference) < 2:
        raise UsageError(f"runs compare needs two or more: {COMMAND} runs compare 41 42, or c6 c7.")
    with stored_history() as server:
        found = [resolve(find_project(), server, each) for each in reference]
        runs = [run for each in found for run in each.runs]
        if all(len(each.runs) == 1 for each in found):
            refuse_several(runs)
        changed = refuse_changed(runs, allowed=allow_changed_workload)
        judged = judgements_of(found)
    compared = side_by_side(found)
    if not compared:
        raise BakeoffError(
            f"{' and '.join(each.name for each in found)} measured nothing alike: no contender, mode, payload, load "
            "and settings in common. Compare single runs by their ids instead."
        )
    together = measured_together(found)
    if json:
        document = {"measured_together": together, "compared": [asdict(each) for each in compared]}
        print_json({**document, "changed_workloads": changed, "judgements": plain_json(judged)})
        return
    if not together:
        typer.echo(f"{caution(judged.values())}\n")
    if changed:
        typer.echo(f"{changed_in_words(changed)}\n")
    parts: list[Table | str] = [comparison_of_references(each) for each in compared]
    for name, judgement in judged.items():
        parts += [f"{name}: {judgement.verdict}", judgement_table(judgement)]
    show(*parts)
    if together and any(column.runs == 1 for each in compared for column in each.columns):
        say(f"A single run cannot show small differences: {COMMAND} run --rounds 5 separates them from noise.")
