"""`bakeoff conform`."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bakeoff.cli.completion import complete_target
from bakeoff.cli.output import print_json
from bakeoff.cli.progress_display import shown
from bakeoff.cli.shared_options import Json, OfWorkload, TargetClass, WriteMode
from bakeoff.errors import BakeoffError
from bakeoff.options.option import options_of
from bakeoff.options.table import ComparisonTable
from bakeoff.project import Project, find_project
from bakeoff.running.lock import only_lab
from bakeoff.text.table import show

if TYPE_CHECKING:
    from bakeoff.conformance.runner import ConformanceResult
    from bakeoff.hostile.trial import Trial
    from bakeoff.options.variant import Variant
    from bakeoff.results.statements import OperationStatements
    from bakeoff.running.progress import Progress
    from bakeoff.running.testbed import Testbed
    from bakeoff.targets.access import Access
    from bakeoff.targets.manifest import Target
    from bakeoff.workload.loader import Workload


class Statements(StrEnum):
    """Uses of counted statements."""

    CHECK = "check"
    WRITE = "write"


def conform(
    target: Annotated[
        list[str] | None,
        typer.Argument(help="Targets to check. [those of the class]", autocompletion=complete_target),
    ] = None,
    workload: OfWorkload = None,
    target_class: TargetClass = "standard",
    write_mode: WriteMode = None,
    attach: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TARGET=URL", help="Target that is already running, such as NAME=http://host:8081; may be repeated."
        ),
    ] = None,
    hostile: Annotated[
        bool, typer.Option("--hostile", help="Try slow and hostile connections instead of the conformance vectors.")
    ] = False,
    statements: Annotated[
        Statements | None,
        typer.Option(
            help="Count the SQL statements of each operation instead: check compares them with the target's "
            "statements.toml, write writes that file."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check targets against the cases of their contract."""
    from bakeoff.cli.run.request import write_mode_of
    from bakeoff.comparing.preparation import build, buildable, check_own_database
    from bakeoff.comparing.preparation import conform as checked
    from bakeoff.engines.client import client_engine
    from bakeoff.hostile.text import trial_table
    from bakeoff.hostile.trial import trials
    from bakeoff.options.combinations import refuse_combinations
    from bakeoff.options.variant import Variant
    from bakeoff.running.contender import storage_of
    from bakeoff.targets.hostile_record import keep_hostile_record
    from bakeoff.targets.manifest import choose_targets, find_targets, of_workload
    from bakeoff.targets.storage import POSTGRESQL
    from bakeoff.workload.loader import load_workload

    project = find_project()
    variant = Variant(settings=write_mode_of(write_mode))
    attached = _attached(attach or [])
    given = {"attached": attached, "settings": variant.settings}
    refuse_combinations("", {name: [value] for name, value in given.items() if value})
    with shown() as progress, only_lab(project.state / "lock"):
        found = find_targets(project)
        choose_targets(found, list(attached))
        named = target or list(attached)
        chosen = choose_targets(found if named else of_workload(project, found, workload), named, target_class)
        workloads = {each.name: load_workload(project, each.workload) for each in chosen}
        kinds = {each.name: storage_of(each, workloads[each.name], variant) for each in chosen}
        for each in chosen:
            if each.name in attached:
                check_own_database(each, kinds[each.name])
        own = [each for each in chosen if each.name not in attached]
        built = buildable(own, target or [], lambda _target, reason: progress.say(reason))
        targets = [each for each in chosen if each.name in attached or each in built]
        if not targets:
            raise BakeoffError("There is no target that this machine can build, so nothing to check.")
        build([client_engine().build, *(each.build for each in built)], progress)
        tried, results = {}, {}
        storing = [each for each in targets if kinds[each.name] == POSTGRESQL]
        if statements is not None:
            counted = _counted(project, storing, workloads, variant, progress)
            _print_statements(counted, statements, json)
            return
        with _testbed(project, storing, attached, progress) as testbed:
            for each in targets:
                bed = testbed.storing_in(kinds[each.name])
                if hostile:
                    held_under = list(trials(bed, each, workloads[each.name], variant))
                    tried[each.name] = held_under
                    if not json:
                        # The trials of the next target take minutes, and may be interrupted.
                        show(trial_table(each.name, held_under))
                    keep_hostile_record(
                        project,
                        each,
                        tried=len(held_under),
                        held=sum(not trial.faults for trial in held_under),
                        most_bytes=max((trial.most_bytes for trial in held_under), default=0),
                    )
                else:
                    progress.step(f"{each.name}: conformance")
                    results[each.name] = checked(bed, each, workloads[each.name], variant)
    if hostile:
        _judge_trials(tried, json)
    else:
        _print_results(targets, results, json)


def _counted(
    project: Project,
    targets: "Sequence[Target]",
    workloads: "Mapping[str, Workload]",
    variant: "Variant",
    progress: "Progress",
) -> "Sequence[tuple[Target, Mapping[str, OperationStatements]]]":
    """What each operation of each target sends, on a server that counts it."""
    from bakeoff.comparing.operation_statements import count_statements
    from bakeoff.postgres.binaries import find_installation
    from bakeoff.postgres.databases import one_choice
    from bakeoff.postgres.embedded import COUNTING, Instance
    from bakeoff.running.prepared_states import PreparedStates
    from bakeoff.running.testbed import Testbed

    if not targets:
        raise BakeoffError("None of these targets stores in PostgreSQL, so there is no statement to count.")
    postgres = one_choice({each.name: each.manifest.storage.postgres for each in targets})
    counted = []
    with Instance(find_installation(project, postgres), COUNTING, project.logs) as server, PreparedStates() as prepared:
        testbed = Testbed(project, server, progress, postgres=postgres, prepared=prepared)
        for each in targets:
            progress.step(f"{each.name}: counting statements")
            counted.append((each, count_statements(testbed, each, workloads[each.name], variant)))
    return counted


def _print_statements(
    counted: "Sequence[tuple[Target, Mapping[str, OperationStatements]]]", use: Statements, as_json: bool
) -> None:
    """A table of statements by target and operation; with `check` exit status 1 where a target's file differs."""
    import msgspec

    from bakeoff.targets.statements_file import differences, keep_statements
    from bakeoff.text.table import Table

    if as_json:
        print_json({"targets": {each.name: msgspec.to_builtins(found) for each, found in counted}})
    else:
        rows = [
            (target.name, name, str(each.statements), str(each.round_trips), str(each.rows))
            for target, found in counted
            for name, each in found.items()
        ]
        show(Table("", ("target", "operation", "statements", "round trips", "rows"), rows, left=2))
    if use is Statements.WRITE:
        for target, found in counted:
            keep_statements(target, found)
        return
    differing = {target.name: each for target, found in counted if (each := differences(target, found))}
    if differing:
        for name, each in differing.items():
            show("\n    ".join([f"{name}: run conform {name} --statements write if this is meant.", *each]))
        raise typer.Exit(1)


@contextmanager
def _testbed(
    project: Project, storing: "Sequence[Target]", attached: "Mapping[str, Access]", progress: "Progress"
) -> "Iterator[Testbed]":
    from bakeoff.postgres.databases import application_database, one_choice
    from bakeoff.running.prepared_states import PreparedStates
    from bakeoff.running.testbed import Testbed

    postgres = one_choice({each.name: each.manifest.storage.postgres for each in storing})
    with ExitStack() as stack:
        server = None
        if storing:
            progress.step("starting PostgreSQL")
            server = stack.enter_context(application_database(project, postgres))
        prepared = stack.enter_context(PreparedStates())
        yield Testbed(project, server, progress, attached, postgres=postgres, prepared=prepared)


def _print_results(targets: "Sequence[Target]", results: "Mapping[str, ConformanceResult]", as_json: bool) -> None:
    """A table of cases passed by each target, and the differences of those that failed; exit status 1 for these."""
    from bakeoff.comparing.preparation import required_profile
    from bakeoff.conformance.text import conformance_table, described, differences

    required = {target.name: required_profile(target) for target in targets}
    if as_json:
        print_json({"targets": [described(name, result, required[name]) for name, result in results.items()]})
    else:
        show(conformance_table(results, required), *differences(results, required))
    if not all(result.conforms(required[name]) for name, result in results.items()):
        raise typer.Exit(1)


def _judge_trials(tried: "Mapping[str, Sequence[Trial]]", as_json: bool) -> None:
    """Exit status 1 where a target does not hold under a kind of hostile connections; as JSON, all that was found."""
    from bakeoff.hostile.text import described

    if as_json:
        print_json({"targets": {name: [described(each) for each in found] for name, found in tried.items()}})
    if any(each.faults for found in tried.values() for each in found):
        raise typer.Exit(1)


def _attached(attach: Sequence[str]) -> "dict[str, Access]":
    """Where each attached target answers."""
    from bakeoff.comparing.comparison import TOKEN_VARIABLE
    from bakeoff.targets.access import access_of

    urls = options_of(ComparisonTable)["attached"].read_flag(attach)
    return {name: access_of(url, os.environ.get(TOKEN_VARIABLE)) for name, url in urls.items()}
