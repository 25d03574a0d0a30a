"""Documents: the bakeoff.toml that they print holds, so that a reader can copy it."""

import re
import tomllib
from pathlib import Path

import pytest

from bakeoff.project import Project
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import workload_names
from test_documents import ROOT, documents

_BLOCK = re.compile(r"^```toml\n(.*?)^```", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"^\[+(?:targets|workloads|folders)\b", re.MULTILINE)
# Of blocks that show targets alone.
_WORKLOAD = '\n[workloads.shop]\nopenapi = "openapi.yaml"\n'


def printed_projects(page: Path) -> list[str]:
    """The blocks that are a whole bakeoff.toml, or a part of one that holds alone."""
    return [block for block in _BLOCK.findall(page.read_text("utf-8")) if _TABLE.search(block)]


PROJECTS = [
    pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
    for page in documents()
    for number, block in enumerate(printed_projects(page))
]


@pytest.mark.parametrize("text", PROJECTS)
def test_printed_projects_hold(text: str, tmp_path: Path) -> None:
    printed = tomllib.loads(text)
    project = Project(tmp_path / "project")
    project.root.mkdir()
    project.file.write_text(text if "targets" not in printed or "workloads" in printed else f"{text}{_WORKLOAD}")
    directories = [target.get("directory", ".") for target in printed.get("targets", {}).values()]
    for folder in (*directories, *(each for kind in printed.get("folders", {}).values() for each in kind)):
        (project.root / folder).mkdir(exist_ok=True)
    assert [target.name for target in find_targets(project)] == sorted(printed.get("targets", {}))
    assert set(printed.get("workloads", {})) <= set(workload_names(project))


def test_documents_print_projects() -> None:
    assert len(PROJECTS) >= 4
