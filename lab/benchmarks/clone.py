"""The project that benchmarks measure: that of the current folder, or else the clone's gallery."""

import os
from pathlib import Path

from bakeoff.project import FALLBACK_VARIABLE, Project, find_project


def project_here() -> Project:
    os.environ.setdefault(FALLBACK_VARIABLE, str(Path(__file__).parents[2] / "gallery"))
    return find_project()
