"""`bakeoff targets` and `bakeoff build`."""

from collections.abc import Iterator, Sequence

import msgspec
from rich.console import Console

from bakeoff.cli.progress_display import shown_on
from bakeoff.cli.runs_output import print_json
from bakeoff.comparing.preparation import build, buildable
from bakeoff.documents.checked import Json
from bakeoff.engines.manifest import find_engine
from bakeoff.project import find_project
from bakeoff.running.lock import only_lab
from bakeoff.targets.manifest import Target, choose_targets, find_targets
from bakeoff.targets.of_workload import of_workload
from bakeoff.text.table import Table, show


def list_targets(names: Sequence[str], as_json: bool) -> None:
    """Prints a row for each target, or JSON; of those that are named also what they are not the framework's own in."""
    found = find_targets(find_project())
    chosen = choose_targets(found, names)
    if as_json:
        print_json({"targets": [_described(target) for target in chosen]})
        return
    show(_table(chosen), *(line for target in chosen if names for line in details_of(target)))


def details_of(target: Target) -> Iterator[str]:
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


def _described(target: Target) -> dict[str, Json]:
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


def _table(targets: Sequence[Target]) -> Table:
    rows = []
    for target in targets:
        missing = target.missing
        state = f"needs {', '.join(missing)}" if missing else "to be built" if target.build.is_stale() else "built"
        stack = ", ".join(target.manifest.stack.values())
        title = f"{target.title}: {stack}" if stack else target.title
        rows.append((target.name, str(target.default_port), target.workload, target.target_class, state, title))
    headings = ("target", "port", "workload", "class", "state", "title")
    return Table("", headings, rows, left=6, least=("title", "port", "class", "workload"))


def build_targets(names: Sequence[str], workload: str | None, target_class: str) -> None:
    """Builds the targets that are stale."""
    project = find_project()
    with shown_on(Console(stderr=True)) as progress, only_lab(project.state / "lock"):
        found = find_targets(project)
        chosen = choose_targets(found if names else of_workload(project, found, workload), names, target_class)
        for target in buildable(chosen, bool(names), lambda _target, reason: progress.say(reason)):
            build(target.build, progress)
    Console().print("Everything is built.", highlight=False)


def adopt_engine(name: str) -> None:
    """Takes an artifact that was copied here for one that was built here: for images, which have no toolchain."""
    engine = find_engine(find_project(), name)
    engine.build.adopt()
    Console().print(f"{engine.build.artifact} counts as built.", highlight=False)
