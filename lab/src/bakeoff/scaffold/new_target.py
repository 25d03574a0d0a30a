"""A new target of a workload that the project has: all that is known about it before there is any code."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from pygments.lexers import get_all_lexers

from bakeoff.conformance.case import Profile
from bakeoff.conformance.runner import load_cases
from bakeoff.documents.checked import Json
from bakeoff.documents.project_file import folders
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import COMMAND, Project
from bakeoff.scaffold.scaffold import TEMPLATES, environment, folder_of
from bakeoff.scaffold.toml_text import toml_value
from bakeoff.targets.manifest import STANDARD, Target, find_targets
from bakeoff.targets.storage import NONE, POSTGRESQL
from bakeoff.text.hints import nearest
from bakeoff.workload.declaration import GrpcCall, Operation
from bakeoff.workload.loader import Workload, load_workload

_FOLDER = TEMPLATES / "new_target"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


@dataclass(frozen=True)
class TargetRequest:
    """The options of `init --target`; `name` and `protocol` are None where they follow from the rest."""

    workload: str
    language: str
    framework: str = ""
    name: str | None = None
    protocol: str | None = None


@dataclass(frozen=True)
class NewTarget:
    """A target that was written. `example` is the nearest one in its language, None where there is none."""

    name: str
    files: Sequence[Path]
    example: Target | None
    stores: bool


def write_target(project: Project, request: TargetRequest) -> NewTarget:
    """Writes the folder of a target and loads it. Raises UsageError, and leaves nothing, where that fails."""
    workload = load_workload(project, request.workload)
    targets = find_targets(project)
    language = request.language.lower()
    spelling, title = _names_of(language, targets)
    name = request.name or _slug(f"{workload.name} {language} {request.framework}")
    _check_name(name, targets)
    protocol = _protocol(workload, request.protocol)
    siblings = [each for each in targets if each.workload == workload.name and each.protocol == protocol]
    folder = _place(project, workload, targets) / (name.removeprefix(f"{workload.name}-"))
    if folder.exists():
        raise UsageError(f"{project.relative(folder)} exists and was not changed. Give the new target another NAME.")
    same = [each for each in (*siblings, *targets) if each.language.lower() == language]
    example = next((each for each in same if each in siblings and each.target_class == STANDARD), None)
    values = {
        **_identity(workload, folder),
        "name": name,
        "protocol": protocol,
        "language": spelling,
        "language_title": title,
        "framework": request.framework,
        "title": " ".join(filter(None, (title, request.framework))),
        **_shared(siblings),
        "toolchain": dict(_toolchain(same[0])) if same else {},
        "example": {"build": [], "run": [], "name": ""} if example is None else _shown(example),
        "ignored": [] if example is None else _ignored(example),
        "storage": POSTGRESQL if workload.uses_database else NONE,
        "health": _health(workload, protocol),
        "operations": list(_operations(workload, protocol)),
        "subjects": _subjects(workload, protocol),
    }
    files = _write(project, folder, values)
    try:
        find_targets(project, {name})
    except BaseException:
        shutil.rmtree(folder)
        raise
    return NewTarget(name, files, example, workload.uses_database)


def review() -> Sequence[str]:
    """The questions of a review, one a line; docs/GALLERY_RULES.md has the same text."""
    return (_FOLDER / "review.md").read_text("utf-8").splitlines()


def _names_of(language: str, targets: Sequence[Target]) -> tuple[str, str]:
    """The language as manifests spell it, and its title. Raises UsageError where neither a target nor Pygments has it.

    Reports print the spelling, so that of a title is taken: PHP, not php.
    """
    own = {each.language.lower(): each.language for each in targets if each.language}
    titles = {alias: title for title, aliases, *_ in get_all_lexers(plugins=False) for alias in aliases}
    if language not in titles and language not in own:
        here = f" Targets here are in {', '.join(sorted(own))}." if own else ""
        raise UsageError(
            f'--language is "{language}", which is no known language.{nearest(language, [*own, *titles])}{here}'
        )
    title = titles.get(language) or own[language]
    return own.get(language) or (title if title.lower() == language else language), title


def _check_name(name: str, targets: Sequence[Target]) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f'"{name}" is not a target name: use lower-case letters, digits and hyphens, at most 63.')
    if name in [each.name for each in targets]:
        raise UsageError(f"There is a target {name} already: give the new one another NAME, as init's first argument.")


def _slug(text: str) -> str:
    """Its words without versions, joined by hyphens."""
    words = (re.sub(r"[^a-z0-9]+", "-", word).strip("-") for word in text.lower().split())
    return "-".join(word for word in words if word and not re.match(r"v?[0-9]", word))


def _protocol(workload: Workload, wanted: str | None) -> str:
    """`rest` or `grpc`: the one that is wanted, or the first that the workload can be sent over."""
    over = {
        name
        for name, protocol in (("rest", "http"), ("grpc", "grpc"))
        if any(each.call(protocol) is not None for each in workload.declared.operations)
    }
    if wanted is not None and wanted not in over:
        raise UsageError(f'--protocol is "{wanted}": {workload.name} can be sent over {" and ".join(sorted(over))}.')
    return wanted or ("rest" if "rest" in over else "grpc")


def _place(project: Project, workload: Workload, targets: Sequence[Target]) -> Path:
    """The folder that the workload's targets have in common, or one of its name among those of the project."""
    roots = list(folders(project, "targets"))
    own = [each.directory for each in targets if each.workload == workload.name]
    common = Path(os.path.commonpath([each.parent for each in own])) if own else project.root
    below = any(common.is_relative_to(root) and common != root for root in roots)
    return common if below else folder_of(project, "targets") / workload.name


def _identity(workload: Workload, folder: Path) -> dict[str, Json]:
    contract = workload.directory / "README.md"
    place = os.path.relpath(contract if contract.is_file() else workload.directory, folder)
    tables = workload.file("schema")
    return {
        "workload": workload.name,
        "contract": place,
        "tables": None if tables is None else os.path.relpath(tables, folder),
        "command": COMMAND,
    }


def _shared(siblings: Sequence[Target]) -> dict[str, Json]:
    """What the workload's targets have alike: settings of all, those of some, the port, and the parts of stacks."""
    ports = [each.manifest.run.port_variable for each in siblings] or ["PORT"]
    numbers = [each.manifest.run.default_port for each in siblings] or [8080]
    settings = [{name: msgspec.to_builtins(each) for name, each in it.manifest.settings.items()} for it in siblings]
    known = {name: table for each in settings for name, table in each.items()}
    of_all = {name: table for name, table in known.items() if all(each.get(name) == table for each in settings)}
    return {
        "port_variable": max(ports, key=ports.count),
        "default_port": max(numbers, key=numbers.count),
        "settings": of_all,
        "settings_of_some": {name: table for name, table in known.items() if name not in of_all},
        "parts": sorted({part for each in siblings for part in each.manifest.stack} - {"framework"}),
    }


def _toolchain(example: Target) -> Iterator[tuple[str, Json]]:
    """The toolchain of an example, without a program that lies beside it."""
    toolchain = example.manifest.toolchain
    yield "commands", toolchain.commands
    if not toolchain.version_command[:1] or not toolchain.version_command[0].startswith("."):
        yield "version_command", toolchain.version_command
    yield "install", toolchain.install


def _shown(example: Target) -> dict[str, Json]:
    """Build and run of an example, as lines of a manifest."""
    build, run = example.manifest.build, example.manifest.run
    of_build: dict[str, Json] = {
        "command": build.command,
        "inputs": build.inputs,
        "artifact": build.artifact,
        "contents": build.contents,
        "system_packages": build.system_packages,
    }
    of_run: dict[str, Json] = {"command": run.command, "environment": run.environment}
    return {"name": example.name, "build": list(_lines(of_build)), "run": list(_lines(of_run))}


def _lines(members: Mapping[str, Json]) -> Iterator[str]:
    return (f"{name} = {toml_value(value)}" for name, value in members.items() if value)


def _ignored(example: Target) -> list[str]:
    file = example.directory / ".gitignore"
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _health(workload: Workload, protocol: str) -> str:
    health = workload.declared.health
    asks = ", after a statement to the database" if health is not None and health.asks_database else ""
    if protocol == "grpc":
        return f"`grpc.health.v1.Health/Check` answers SERVING{asks}."
    if health is None or health.http is None:
        return "Ready once its port is open."
    return f"`{health.http.method} {health.http.path}` answers {health.http.expect}{asks}."


def _operations(workload: Workload, protocol: str) -> Iterator[dict[str, Json]]:
    side = "grpc" if protocol == "grpc" else "http"
    for each in workload.declared.operations:
        call = each.call(side)
        if call is None:
            continue
        path = "" if isinstance(call, GrpcCall) else f" {call.path}"
        expect = [call.expect] if isinstance(call.expect, int | str) else call.expect
        yield {
            "name": each.name,
            "call": f"{call.method}{path}",
            "message": (each.message_over(side) or "").strip().splitlines(),
            "expected": " or ".join(map(str, expect)),
            "checks": list(_checks(each, side)),
        }


def _checks(operation: Operation, side: str) -> Iterator[str]:
    """What a reply must show, a sentence each."""
    call = operation.call(side)
    assert call is not None
    for place, value in call.reply.items():
        yield f"`{place}` of the reply is `{value}`."
    for name, place in call.capture.items():
        yield f"`{place}` of the reply is sent again later, as `{name}`."
    if call.list is not None:
        yield f"`{call.list.items}` of the reply is a list" + (
            "." if call.list.most is None else f" of at most {call.list.most} elements."
        )


def _subjects(workload: Workload, protocol: str) -> dict[str, list[dict[str, str]]]:
    """The cases of a protocol by subject; none where the workload has no cases."""
    if workload.file("vectors") is None:
        return {}
    side = "grpc" if protocol == "grpc" else "http"
    found: dict[str, list[dict[str, str]]] = {}
    for case in load_cases(workload):
        if case.goes_over(side):
            profile = "" if case.profile is Profile.CORE else f" ({case.profile})"
            found.setdefault(case.subject, []).append({"name": case.name, "words": f"{case.why or case.rule}{profile}"})
    return found


def _write(project: Project, folder: Path, values: Mapping[str, Json]) -> list[Path]:
    templates = environment()
    templates.filters["toml"] = toml_value
    templates.trim_blocks = templates.lstrip_blocks = True
    texts = {
        folder / template.stem.replace("gitignore", ".gitignore"): templates.get_template(
            f"new_target/{template.name}"
        ).render(values)
        for template in sorted(_FOLDER.glob("*.j2"))
    }
    try:
        folder.mkdir(parents=True)
        for path, text in texts.items():
            path.write_text(text, "utf-8")
    except OSError as error:
        raise BakeoffError(f"{project.relative(folder)} cannot be written: {error.strerror}.") from error
    return list(texts)
