"""`bakeoff init`."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import typer

from bakeoff.errors import UsageError
from bakeoff.project import COMMAND, PROJECT_FILE, PROJECT_VARIABLE, Project, find_project, path_here

_EXPLANATIONS = {
    "workload.toml": "what is sent, and what must then be stored",
    "README.md": "the rules, for authors of targets",
    "schema.sql": "the table, which targets create at start",
    "reset.sql": "a fresh table for each run",
    "audit.sql": "the stored state, for the audit",
    "upsert.sql": "one statement, for --preload and calibrate",
    "saving.json": "conformance cases",
    "target.toml": "how the API is built and started",
}
_TARGET_FILES = {
    "target.toml": "how it is built and started: [build] and [run] are yours to write",
    "README.md": "the headings that a review expects",
    "OPERATIONS.md": "each operation and conformance case; remove it in the end",
    ".gitignore": "what the build makes",
}


@dataclass(frozen=True)
class InitOptions:
    """The command line as it was typed; `words` are a name and a URL, in any order."""

    words: Sequence[str] = ()
    openapi: str | None = None
    proto: Path | None = None
    full: bool = False
    protocol: str | None = None
    database: str | None = None
    proto_paths: Sequence[Path] = ()
    probe: str | None = None
    har: Path | None = None
    from_curl: Sequence[str] = ()
    login: str | None = None

    @property
    def url(self) -> str | None:
        return next((word for word in self.words if "://" in word), None)

    @property
    def name(self) -> str | None:
        return next((word for word in self.words if "://" not in word), None)


def make_project(options: InitOptions) -> None:
    """Writes the project's file, or with `full` the folders of a workload and its target; prints the next step."""
    if len(options.words) > len([each for each in (options.url, options.name) if each is not None]):
        raise UsageError(f"init takes one name and one URL, not {' '.join(options.words)}.")
    only_full = [f"--{each}" for each in ("protocol", "database") if getattr(options, each) is not None]
    if only_full and not options.full:
        raise UsageError(f"{only_full[0]} is for --full: without it, {PROJECT_FILE} says so.")
    _check_sources(options)
    if options.probe is not None:
        _check_probe(options)
    if options.login is not None:
        _check_login(options)
    for line in _folders(options) if options.full else _one_file(options):
        typer.echo(line)


def make_target(options: InitOptions, workload: str | None, language: str | None, framework: str | None) -> None:
    """Writes the folder of a target of a workload; prints its files, the next commands and what a review asks."""
    if workload is None or language is None:
        raise UsageError(f"--target and --language go together: {COMMAND} init --target WORKLOAD --language ruby")
    others = replace(options, words=(), protocol=None)
    if any(getattr(others, each.name) for each in fields(others)) or options.url or len(options.words) > 1:
        raise UsageError(
            "--target takes NAME, --language, --framework and --protocol alone: leave out what else is there."
        )
    for line in _target(options, workload, language, framework or ""):
        typer.echo(line)


def _target(options: InitOptions, workload: str, language: str, framework: str) -> Iterator[str]:
    from bakeoff.scaffold.new_target import TargetRequest, review, write_target

    project = find_project()
    new = write_target(project, TargetRequest(workload, language, framework, options.name, options.protocol))
    paths = {path_here(path): _TARGET_FILES[path.name] for path in new.files}
    width = max(map(len, paths))
    yield from (f"{path:{width}}  {words}" for path, words in paths.items())
    yield ""
    if new.example is None:
        yield f"{workload} has no target in {language} yet: {COMMAND} targets lists those in other languages."
    else:
        yield f"The nearest one to read: {new.example.name}, in {path_here(new.example.directory)}"
    yield "Write the program, and put into target.toml how it is built and started. Then:"
    yield f"    {COMMAND} build {new.name}"
    yield f"    {COMMAND} conform {new.name}"
    if new.stores:
        yield f"    {COMMAND} conform {new.name} --statements write"
    yield f"    {COMMAND} run smoke --target {new.name}"
    yield ""
    yield "What reviewers ask:"
    yield from review()


def _check_sources(options: InitOptions) -> None:
    """Raises UsageError for several sources of requests, and for recorded ones where they cannot be used."""
    given = {
        "--openapi": options.openapi,
        "--proto": options.proto,
        "--har": options.har,
        "--from-curl": options.from_curl or None,
    }
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise UsageError(f"{named[0]} and {named[1]} are two sources of requests: name one.")
    if options.full and named and named[0] in ("--har", "--from-curl"):
        raise UsageError(f"{named[0]} writes {PROJECT_FILE}: leave --full out.")
    if options.har is not None and options.probe is not None:
        raise UsageError("--probe sends operations one by one, and --har makes a session: leave one out.")


def _check_probe(options: InitOptions) -> None:
    from bakeoff.targets.access import access_of

    if options.full:
        raise UsageError(f"--probe changes {PROJECT_FILE}: leave --full out.")
    access_of(options.probe or "")


def _check_login(options: InitOptions) -> None:
    from bakeoff.scaffold.given_login import given_login

    if options.full or options.har is not None or options.from_curl:
        raise UsageError("--login is for the operations of a description: leave --full, --har and --from-curl out.")
    given_login(options.login or "")


def _one_file(options: InitOptions) -> Iterator[str]:
    from bakeoff.scaffold.description_files import described_by, description_of
    from bakeoff.scaffold.given_login import given_login
    from bakeoff.scaffold.new_project import name_of, new_project, write_project
    from bakeoff.scaffold.probed_project import probed_entries, write_probed
    from bakeoff.scaffold.recorded_project import project_of_curl, project_of_har
    from bakeoff.scaffold.scaffold import address_in, check_name

    project = Project(_folder())
    name = options.name or name_of(project.root)
    check_name(name)
    if options.probe is not None and (known := _known_workload(project, options)) is not None:
        yield from probed_entries(project, known, options.probe)
        return
    if options.url is not None:
        address_in(options.url)
    passed_over: list[str] = []
    if options.har is not None:
        new = project_of_har(project, name, options.har)
    elif options.from_curl:
        new = project_of_curl(project, name, options.from_curl)
    else:
        found = description_of(
            project.root, options.openapi, options.proto, options.url, passed_over, options.proto_paths
        )
        if found is None and options.probe is not None:
            found = described_by(options.probe, project.root)
        login = None if options.login is None else given_login(options.login)
        new = new_project(project, name, found, options.url, login)
    if options.probe is None:
        new = write_project(project, new)
    else:
        new = write_probed(project, new, options.probe, is_login_given=options.login is not None)
    yield f"{path_here(project.file)}: the target and the workload {new.name}"
    yield from (*new.found, *passed_over)
    yield ""
    yield from new.next_steps


def _known_workload(project: Project, options: InitOptions) -> str | None:
    """The workload of a file that is there, which a probe is to try: the one that is named, or the only one."""
    from bakeoff.documents.project_file import project_file

    if not project.file.exists():
        return None
    known = project_file(project).document.workloads
    name = options.name or (next(iter(known)) if len(known) == 1 else None)
    if name not in known:
        return None
    options_of_new = {
        "--openapi": options.openapi,
        "--proto": options.proto,
        "--from-curl": options.from_curl,
        "--login": options.login,
        str(options.url): options.url,
    }
    given = next((option for option, value in options_of_new.items() if value), None)
    if given is not None:
        raise UsageError(f"{given} is for a new {PROJECT_FILE}: this one has {name} already, so leave it out.")
    return name


def _folders(options: InitOptions) -> Iterator[str]:
    from bakeoff.scaffold.description_files import description_of, is_grpc
    from bakeoff.scaffold.import_files import imported_scaffold, write_import
    from bakeoff.scaffold.new_project import folders_project, name_of
    from bakeoff.scaffold.scaffold import scaffold_of, write_scaffold

    source = None
    shown = options.url if options.url is not None and is_grpc(options.url) else None
    if options.openapi is not None or options.proto is not None or shown is not None:
        given = [f"--{each}" for each in ("protocol", "database") if getattr(options, each) is not None]
        if given:
            raise UsageError(f"{given[0]} cannot be combined with a description: it defines the protocol.")
        source = description_of(_folder(), options.openapi, options.proto, shown, [], options.proto_paths)
    name = options.name or name_of(_folder())
    if source is None:
        scaffold = scaffold_of(name, options.protocol or "rest", options.database or "postgresql", options.url)
        written = write_scaffold(folders_project(_folder()), scaffold)
    else:
        scaffold = imported_scaffold(name, source.api, options.url)
        written = write_import(folders_project(_folder()), scaffold, source.api, source.file)
    paths = {path_here(path): path for path in written}
    width = max(map(len, paths))
    yield from (f"{path:{width}}  {_explanation(file)}" for path, file in paths.items())
    yield ""
    yield from [] if source is None else [*source.found, ""]
    database = "DATABASE_URL=postgresql://… " if scaffold.stores else ""
    yield "Edit them to describe your API: docs/WRITE_A_WORKLOAD.md. Then measure it where it runs,"
    yield f"    {database}{COMMAND} run smoke --attach {scaffold.target}={scaffold.base_url}"
    yield "or put the command that starts it into target.toml:"
    yield f"    {COMMAND} run smoke --target {scaffold.target}"


def _folder() -> Path:
    """The folder of the new project: that of --project, or the current one."""
    folder = Path(os.environ.get(PROJECT_VARIABLE) or ".").absolute()
    folder = folder.parent if folder.name == PROJECT_FILE else folder
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}. Make it, and start again.")
    return folder.resolve()


def _explanation(file: Path) -> str:
    if file.suffix in (".proto", ".binpb"):
        return "the messages"
    return _EXPLANATIONS.get(file.name, "conformance cases")
