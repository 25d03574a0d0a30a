"""`bakeoff init`."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from bakeoff.errors import UsageError
from bakeoff.project import COMMAND, find_project
from bakeoff.scaffold.import_files import imported_scaffold, write_import
from bakeoff.scaffold.imported import ImportedApi
from bakeoff.scaffold.scaffold import Scaffold, scaffold_of, write_scaffold

_EXPLANATIONS = {
    "workload.toml": "what is sent, and what must then be stored",
    "README.md": "the rules, for authors of targets",
    "schema.sql": "the table, which targets create at start",
    "reset.sql": "a fresh table for each run",
    "audit.sql": "the stored state, for the audit",
    "upsert.sql": "one statement, for --preload and calibrate",
    "service.proto": "the messages",
    "saving.json": "conformance cases",
    "target.toml": "how the API is built and started",
}


@dataclass(frozen=True)
class InitOptions:
    """The command line as it was typed."""

    name: str
    protocol: str | None = None
    database: str | None = None
    url: str | None = None
    openapi: Path | None = None
    proto: Path | None = None


def make_workload(options: InitOptions) -> None:
    """Writes the folders of a workload and its first target, and prints the next steps."""
    project = find_project()
    api = _imported(options)
    if api is None:
        scaffold = scaffold_of(options.name, options.protocol or "rest", options.database or "postgresql", options.url)
        written = write_scaffold(project, scaffold)
    else:
        scaffold = imported_scaffold(options.name, api, options.url)
        written = write_import(project, scaffold, api, options.openapi or options.proto or Path())
    console = Console(markup=False, highlight=False, soft_wrap=True)
    paths = {project.relative(path): path for path in written}
    width = max(map(len, paths))
    for path, file in paths.items():
        console.print(f"{path:{width}}  {_explanation(file)}")
    console.print()
    for line in [*([] if api is None else _found(api)), *_next_steps(scaffold)]:
        console.print(line)


def _imported(options: InitOptions) -> ImportedApi | None:
    """The API of --openapi or --proto; None where neither is given."""
    if options.openapi is None and options.proto is None:
        return None
    given = [f"--{name}" for name in ("protocol", "database") if getattr(options, name) is not None]
    if options.openapi is not None and options.proto is not None:
        raise UsageError("--openapi describes a REST API and --proto one of gRPC: name one, and make two workloads.")
    if given:
        raise UsageError(
            f"{given[0]} cannot be combined with --openapi or --proto: they define the protocol. "
            "docs/ADD_A_WORKLOAD.md describes how to add a database to the workload afterwards."
        )
    if options.openapi is not None:
        from bakeoff.scaffold.openapi_import import import_openapi

        return import_openapi(options.openapi)
    from bakeoff.scaffold.proto_import import import_proto

    assert options.proto is not None
    return import_proto(options.proto)


def _explanation(file: Path) -> str:
    if file.suffix == ".proto":
        return "the messages"
    return _EXPLANATIONS.get(file.name, "conformance cases")


def _found(api: ImportedApi) -> Iterator[str]:
    """The imported operations, those left out, and the decisions that remain."""
    count = len(api.operations)
    yield f"{count} operation{'' if count == 1 else 's'} imported: {', '.join(each.name for each in api.operations)}"
    for line in (*api.left_out, *api.advice):
        yield f"- {line}"
    yield ""


def _next_steps(scaffold: Scaffold) -> list[str]:
    database = "DATABASE_URL=postgresql://… " if scaffold.stores else ""
    return [
        "Edit them to describe your API: docs/ADD_A_WORKLOAD.md. Then measure it where it runs,",
        f"    {database}{COMMAND} run smoke --attach {scaffold.target}={scaffold.base_url}",
        "or put the command that starts it into target.toml:",
        f"    {COMMAND} run smoke --target {scaffold.target}",
    ]
