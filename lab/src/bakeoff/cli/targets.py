"""`bakeoff targets` and `bakeoff build`."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from bakeoff.cli.completion import complete_target
from bakeoff.cli.output import print_json
from bakeoff.cli.progress_display import shown
from bakeoff.cli.shared_options import Json, OfWorkload, TargetClass
from bakeoff.documents.checked import Json as JsonValue
from bakeoff.project import find_project
from bakeoff.running.lock import only_lab
from bakeoff.text.table import Table, show

if TYPE_CHECKING:
    from bakeoff.targets.manifest import Target


def targets(
    target: Annotated[
        list[str] | None,
        typer.Argument(help="Targets to show in detail. [a list of all]", autocompletion=complete_target),
    ] = None,
    json: Json = False,
) -> None:
    """List the targets, and whether this machine can build them. Of named ones, show the parts that they replace."""
    from bakeoff.targets.manifest import choose_targets, find_targets

    chosen = choose_targets(find_targets(find_project()), target or [])
    if json:
        print_json({"targets": [_described(each) for each in chosen]})
        return
    show(_table(chosen), *(line for each in chosen if target for line in details_of(each)))


def details_of(target: "Target") -> Iterator[str]:
    """The parts that a target replaces, with reasons, and each documented setting with its link."""
    yield f"{target.name} ({target.target_class}): {target.title}"
    for part, what in target.manifest.stack.items():
        yield f"  {part}: {what}"
    if target.manifest.replaces:
        yield "  replaces:"
        yield from (f"    {each.words}, because: {each.why}" for each in target.manifest.replaces)
    if target.manifest.documented_settings:
        yield "  differs from the defaults as documented:"
        yield from (f"    {each.words} ({each.link})" for each in target.manifest.documented_settings)


def _described(target: "Target") -> dict[str, JsonValue]:
    return {
        "name": target.name,
        "title": target.title,
        "workload": target.workload,
        "language": target.language,
        "protocol": target.protocol,
        "class": target.target_class,
        "replaces": msgspec.to_builtins(target.manifest.replaces),
        "documented_settings": msgspec.to_builtins(target.manifest.documented_settings),
        "port": target.default_port,
        "built": not target.build.is_stale(),
        "missing": target.missing,
    }


def _table(targets: "Sequence[Target]") -> Table:
    rows = []
    for target in targets:
        missing = target.missing
        state = f"needs {', '.join(missing)}" if missing else "to be built" if target.build.is_stale() else "built"
        stack = ", ".join(target.manifest.stack.values())
        title = f"{target.title}: {stack}" if stack else target.title
        rows.append((target.name, str(target.default_port), target.workload, target.target_class, state, title))
    headings = ("target", "port", "workload", "class", "state", "title")
    return Table("", headings, rows, left=6, least=("title", "port", "class", "workload"))


def build(
    target: Annotated[
        list[str] | None, typer.Argument(help="Targets to build. [those of the class]", autocompletion=complete_target)
    ] = None,
    workload: OfWorkload = None,
    target_class: TargetClass = "standard",
    adopt: Annotated[
        str | None,
        typer.Option(metavar="ENGINE", help="Build nothing: use an engine's artifact that was built elsewhere."),
    ] = None,
) -> None:
    """Build the targets whose sources changed."""
    from bakeoff.comparing.preparation import build as build_stale
    from bakeoff.comparing.preparation import buildable
    from bakeoff.engines.manifest import find_engine
    from bakeoff.targets.manifest import choose_targets, find_targets, of_workload

    if adopt is not None:
        # For images, which have no toolchain: an artifact that was copied here counts as one that was built here.
        engine = find_engine(adopt)
        engine.build.adopt()
        typer.echo(f"{engine.build.artifact} counts as built.")
        return
    project = find_project()
    with shown() as progress, only_lab(project.state / "lock"):
        found = find_targets(project)
        chosen = choose_targets(found if target else of_workload(project, found, workload), target or [], target_class)
        here = buildable(chosen, target or [], lambda _target, reason: progress.say(reason))
        build_stale([each.build for each in here], progress)
    typer.echo("Everything is built.")
