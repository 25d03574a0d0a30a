"""`bakeoff init`."""

from rich.console import Console

from bakeoff.project import find_project
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


def make_workload(name: str, protocol: str, database: str, url: str | None) -> None:
    """Writes the folders of a workload and its first target, and prints the next steps."""
    project = find_project()
    scaffold = scaffold_of(name, protocol, database, url)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    paths = {project.relative(path): path.name for path in write_scaffold(project, scaffold)}
    width = max(map(len, paths))
    for path, file_name in paths.items():
        console.print(f"{path:{width}}  {_EXPLANATIONS[file_name]}")
    console.print()
    for line in _next_steps(scaffold):
        console.print(line)


def _next_steps(scaffold: Scaffold) -> list[str]:
    database = "DATABASE_URL=postgresql://… " if scaffold.stores else ""
    return [
        "Edit them to describe your API: docs/ADD_A_WORKLOAD.md. Then measure it where it runs,",
        f"    {database}./bakeoff run smoke --attach {scaffold.target}={scaffold.base_url}",
        "or put the command that starts it into target.toml:",
        f"    ./bakeoff run smoke --target {scaffold.target}",
    ]
