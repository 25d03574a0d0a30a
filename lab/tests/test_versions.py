"""What is released together has one version."""

import tomllib

from bakeoff import __version__
from bakeoff.project import Project


def test_all_parts_have_one_version(clone: Project) -> None:
    lab = tomllib.loads((clone.root / "lab/pyproject.toml").read_text("utf-8"))["project"]
    engine = tomllib.loads((clone.root / "load/native/Cargo.toml").read_text("utf-8"))["package"]
    assert lab["version"] == engine["version"] == __version__
    assert f"bakeoff-load=={__version__}; sys_platform == 'linux'" in lab["dependencies"]
