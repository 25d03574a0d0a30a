"""Where a workload says what an operation sends: the file and the line that a person changes."""

import tomllib
from collections.abc import Mapping

from bakeoff.documents.toml_lines import Place, line_of
from bakeoff.project import PROJECT_FILE
from bakeoff.workload.loader import Workload


def written_at(workload: Workload, operation: str) -> str | None:
    """A sentence with the line of an operation's entry, or of the description that it comes from; None for neither."""
    own = workload.directory / "workload.toml"
    file = own if own.is_file() else workload.directory / PROJECT_FILE
    prefix: Place = () if file == own else ("workloads", workload.name)
    try:
        text = file.read_text("utf-8")
        table = tomllib.loads(text)
        for part in prefix:
            table = table[str(part)]
    except (OSError, ValueError, KeyError):
        return None
    listed = [each.get("name") for each in table.get("operations", []) if isinstance(each, Mapping)]
    if operation in listed:
        return (
            f"{operation} is in line {line_of(text, (*prefix, 'operations', listed.index(operation)))} of {file.name}."
        )
    described = next((kind for kind in ("openapi", "proto") if kind in table), None)
    if described is None:
        return None
    line = line_of(text, (*prefix, described))
    header = ".".join((*map(str, prefix), "operations"))
    return (
        f"{operation} comes from line {line} of {file.name}: an entry [[{header}]] with its name changes it, and "
        "init --probe URL finds such entries at the running service."
    )
