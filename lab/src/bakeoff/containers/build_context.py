"""What `docker build` is sent: the repository, with the lab's own files where no .dockerignore leaves them out."""

from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from bakeoff.builds.build import Build
from bakeoff.project import Project

_IGNORE_FILE = ".dockerignore"


def advice_on_context(project: Project, images: Sequence[Build]) -> str | None:
    """A line about results that are sent with each build of an image; None where they are not."""
    state = (project.root.resolve() / project.state.name).relative_to(project.repository.resolve())
    dockerfiles = [
        part.removeprefix("--file=") for each in images for part in each.command if part.startswith("--file=")
    ]
    files = [project.repository / _IGNORE_FILE, *(Path(f"{each}{_IGNORE_FILE}") for each in dockerfiles)]
    if not images or any(_leaves_out(file, state) for file in files if file.is_file()):
        return None
    return f"docker build is sent {state}/, the lab's own files, too: add **/{state.name} to {_IGNORE_FILE}."


def _leaves_out(file: Path, state: Path) -> bool:
    """Whether a pattern of an ignore file is about the folder or one above it."""
    names = [state.as_posix(), *(above.as_posix() for above in state.parents if above != Path())]
    patterns = (line.strip().strip("/").removeprefix("**/") for line in file.read_text("utf-8").splitlines())
    return any(
        fnmatch(name, pattern) or fnmatch(state.name, pattern)
        for pattern in patterns
        if pattern and not pattern.startswith(("#", "!"))
        for name in names
    )
