"""`bakeoff conform`."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict

import typer
from rich.console import Console

from bakeoff.cli.progress_display import shown_on
from bakeoff.cli.run.request import write_mode_of
from bakeoff.cli.runs_output import print_json
from bakeoff.comparing.comparison import TOKEN_VARIABLE
from bakeoff.comparing.preparation import build, buildable, conform, required_profile
from bakeoff.conformance.runner import ConformanceResult
from bakeoff.conformance.text import conformance_table, described, differences
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.hostile.text import trial_table
from bakeoff.hostile.trial import Trial, trials
from bakeoff.options.option import options_of
from bakeoff.options.table import ComparisonTable
from bakeoff.options.variant import Variant
from bakeoff.postgres.databases import application_database
from bakeoff.project import Project, find_project
from bakeoff.running.contender import place_of
from bakeoff.running.lock import only_lab
from bakeoff.running.progress import Progress
from bakeoff.running.testbed import Testbed
from bakeoff.targets.access import Access, access_of
from bakeoff.targets.manifest import POSTGRESQL, Target, choose_targets, find_targets
from bakeoff.targets.of_workload import of_workload
from bakeoff.text.table import show
from bakeoff.workload.loader import Workload, load_workload


def conform_targets(
    names: Sequence[str],
    workload: str | None,
    target_class: str,
    write_mode: str | None,
    attach: Sequence[str],
    *,
    hostile: bool,
    as_json: bool,
) -> None:
    """Prints a table of cases passed by each target, and what differed in those that failed; or JSON.

    With `hostile` a table of kinds of hostile connections for each target.
    """
    project = find_project()
    variant = Variant(settings=write_mode_of(write_mode))
    attached = _attached(attach)
    with shown_on(Console(stderr=True)) as progress, only_lab(project.state / "lock"):
        found = find_targets(project)
        choose_targets(found, list(attached))
        named = list(names) or list(attached)
        chosen = choose_targets(found if named else of_workload(project, found, workload), named, target_class)
        _check_attached(project, [target for target in chosen if target.name in attached], variant)
        own = [target for target in chosen if target.name not in attached]
        built = buildable(own, bool(names), lambda _target, reason: progress.say(reason))
        targets = [target for target in chosen if target.name in attached or target in built]
        if not targets:
            raise BakeoffError("There is no target that this machine can build, so nothing to check.")
        for target in built:
            build(target.build, progress)
        if hostile:
            tried = _tried(project, targets, variant, attached, progress)
        else:
            results = _checked(project, targets, variant, attached, progress)
    if hostile:
        _print_trials(tried, as_json=as_json)
        return
    required = {target.name: required_profile(target) for target in targets}
    if as_json:
        print_json({"targets": [described(name, result, required[name]) for name, result in results.items()]})
    else:
        show(conformance_table(results, required), *differences(results, required))
    if not all(result.conforms(required[name]) for name, result in results.items()):
        raise typer.Exit(1)


def _checked(
    project: Project, targets: Sequence[Target], variant: Variant, attached: Mapping[str, Access], progress: Progress
) -> dict[str, ConformanceResult]:
    results = {}
    for target, workload, testbed in _testbeds(project, targets, variant, attached, progress):
        progress.step(f"{target.name}: conformance")
        results[target.name] = conform(testbed, target, workload, variant)
    return results


def _tried(
    project: Project, targets: Sequence[Target], variant: Variant, attached: Mapping[str, Access], progress: Progress
) -> dict[str, list[Trial]]:
    return {
        target.name: list(trials(testbed, target, workload, variant))
        for target, workload, testbed in _testbeds(project, targets, variant, attached, progress)
    }


def _print_trials(tried: Mapping[str, Sequence[Trial]], *, as_json: bool) -> None:
    """Exit status 1 where a target does not hold under a kind."""
    if as_json:
        found = {name: [{**asdict(each), "faults": each.faults} for each in found] for name, found in tried.items()}
        print_json({"targets": found})
    else:
        show(*(trial_table(name, found) for name, found in tried.items()))
    if any(each.faults for found in tried.values() for each in found):
        raise typer.Exit(1)


def _testbeds(
    project: Project, targets: Sequence[Target], variant: Variant, attached: Mapping[str, Access], progress: Progress
) -> Iterator[tuple[Target, Workload, Testbed]]:
    """Each target with its workload and a testbed that has a database where it stores in one."""
    workloads = {target.name: load_workload(project, target.workload) for target in targets}
    with ExitStack() as stack:
        server = None
        places = {target.name: place_of(target, workloads[target.name], variant) for target in targets}
        if POSTGRESQL in places.values():
            progress.step("starting PostgreSQL")
            server = stack.enter_context(application_database(project))
        testbed = Testbed(project, server, progress, attached)
        for target in targets:
            yield target, workloads[target.name], testbed.storing_in(places[target.name])


def _attached(attach: Sequence[str]) -> dict[str, Access]:
    """Where each attached target answers."""
    urls = options_of(ComparisonTable)["attached"].read_flag(list(attach)) if attach else {}
    assert isinstance(urls, Mapping)
    return {name: access_of(str(url), os.environ.get(TOKEN_VARIABLE)) for name, url in urls.items()}


def _check_attached(project: Project, targets: Sequence[Target], variant: Variant) -> None:
    """Refuses what the lab cannot do to a target that it did not start."""
    for target in targets:
        if variant.settings:
            raise UsageError(f"{target.name} is attached, so that the lab cannot set it: leave out --write-mode.")
        place = place_of(target, load_workload(project, target.workload), variant)
        if place == POSTGRESQL and not os.environ.get("DATABASE_URL"):
            raise UsageError(
                f"{target.name} is attached: name the database that it stores into in DATABASE_URL. The cases drop its "
                "tables."
            )
