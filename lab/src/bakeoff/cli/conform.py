"""`bakeoff conform`."""

from collections.abc import Sequence

import typer
from rich.console import Console

from bakeoff.cli.history import print_json
from bakeoff.cli.progress import shown_on
from bakeoff.cli.run_options import write_mode_of
from bakeoff.comparing.preparation import build, buildable, conform, required_profile
from bakeoff.conformance.text import conformance_table, described, differences
from bakeoff.errors import BakeoffError
from bakeoff.factors.variant import Variant
from bakeoff.postgres.databases import application_database
from bakeoff.project import find_project
from bakeoff.running.bench import Bench
from bakeoff.running.lock import only_lab
from bakeoff.targets.manifest import choose_targets, find_targets
from bakeoff.workload.loader import load_workload


def conform_targets(names: Sequence[str], target_class: str, write_mode: str | None, as_json: bool) -> None:
    """Prints a table of cases passed by each target, and what differed in those that failed; or JSON."""
    project = find_project()
    variant = Variant(settings=write_mode_of(write_mode))
    results = {}
    with shown_on(Console(stderr=True)) as progress, only_lab(project.state / "lock"):
        chosen = choose_targets(find_targets(project), names, target_class)
        targets = buildable(chosen, bool(names), lambda _target, reason: progress.say(reason))
        if not targets:
            raise BakeoffError("There is no target that this machine can build, so nothing to check.")
        for target in targets:
            build(target.build, progress)
        progress.step("starting PostgreSQL")
        with application_database(project) as server:
            bench = Bench(project, server, progress)
            for target in targets:
                progress.step(f"{target.name}: conformance")
                results[target.name] = conform(bench, target, load_workload(project, target.workload), variant)
    required = {target.name: required_profile(target) for target in targets}
    if as_json:
        print_json({"targets": [described(name, result, required[name]) for name, result in results.items()]})
    else:
        console = Console()
        console.print(conformance_table(results, required))
        for line in differences(results, required):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    if not all(result.conforms(required[name]) for name, result in results.items()):
        raise typer.Exit(1)
