"""`./bakeoff targets`: a list for people and one for programs."""

import json
from pathlib import Path

from bakeoff_process import bakeoff

from bakeoff.project import Project


def test_targets_are_listed(project: Project, tmp_path: Path) -> None:
    done = bakeoff(project, "targets", results=tmp_path)
    assert done.returncode == 0
    assert "ingest-rest" in done.stdout


def test_targets_are_listed_as_json(project: Project, tmp_path: Path) -> None:
    done = bakeoff(project, "targets", "--json", results=tmp_path)
    assert done.returncode == 0
    (target,) = (each for each in json.loads(done.stdout)["targets"] if each["name"] == "ingest-rest")
    assert (target["workload"], target["language"], target["protocol"]) == ("events", "rust", "rest")
    assert target["port"] > 0 and isinstance(target["built"], bool) and isinstance(target["missing"], list)
