"""Finds and reads the JSON files that runs are kept in."""

from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.results.document import StoredDocument, read_documents

# The folder of results that holds what `report` writes.
REPORTS = "reports"


def result_files(folder: Path) -> list[Path]:
    """The JSON file of every run in a folder and the folders in it, oldest first; reports are of several runs."""
    found = [path for path in folder.rglob("*.json") if REPORTS not in path.relative_to(folder).parts[:-1]]
    return sorted(found, key=lambda path: path.name)


def read_result_file(project: Project, path: Path) -> list[StoredDocument]:
    """The runs that a JSON file holds; a file that is cut off, too new or something else is a BakeoffError."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise BakeoffError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BakeoffError(f"{path} is damaged: not UTF-8 text.") from error
    return read_documents(text, project.relative(path), project)
